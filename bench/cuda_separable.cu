/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The separable gridder on a GPU with the data of bench_cuda_gridder, from the GPU's memory to
// four dirty images and back: in a plane (w left out) and with planes in w, for several errors.
// The rate is that of gridding alone: the time of all visibilities less that of one row, for
// which the same planes are transformed. The error is that of 64 random pixels of an image of
// a part of the data, beside the sum in double, by the rms of the sums.
//
//     bench_cuda_separable [--quick]

#include "kernels/gridder/separable/device.h"
#include "kernels/gridder/w_intervals.h"
#include "romein_setup.h"
#include <cstring>

using namespace romein;

namespace {

class bench
{
public:
    bench(const cuda_context& c, bool quick)
        : d_c(c),
          d_unit(tracks(quick ? 216 : 2160)),
          d_rows(d_unit.size() / 3),
          d_uvw(c, d_unit.size()),
          d_data(c, d_rows * channels * pols),
          d_weights(c, d_rows * channels * pols)
    {
        fill<<<1024, 256, 0, c.compute>>>(reinterpret_cast<float*>(d_data.data()),
                                          2 * d_data.size());
        check_launch("fill");
        const std::vector<float> ones(d_weights.size(), 1);
        check_cuda(
            cudaMemcpy(
                d_weights.data(), ones.data(), d_weights.bytes(), cudaMemcpyHostToDevice),
            "copying weights");
        std::printf("%.2f million visibilities, 4 polarizations\n",
                    1e-6 * double(d_rows * channels));
    }

    void row(double width, double epsilon, bool w_term, const energy_counter& energy)
    {
        auto p = image_of(width);
        p.epsilon = epsilon;
        p.w_term = w_term;
        const auto o = observe(d_unit, p);
        check_cuda(
            cudaMemcpy(d_uvw.data(), o.uvw.data(), d_uvw.bytes(), cudaMemcpyHostToDevice),
            "copying uvw");
        const auto plan =
            grid_plan::make(p, extent_of(o.at(), nullptr), grid_costs::of_gpu());
        const auto kernel = device_gridder_factory().make({backend::cuda, 0}, p);
        const std::size_t pixels = p.columns * p.rows;
        cuda_array<float> images(d_c, pols * pixels);
        visibility_rows all = o.at(), single = o.at();
        all.uvw = single.uvw = d_uvw.data();
        single.rows = 1;
        const auto to_images = [&](const visibility_rows& at) {
            kernel->grid(at, plan, d_data.data(), d_weights.data(), images.data());
        };
        const auto to_data = [&](const visibility_rows& at) {
            kernel->degrid(at, plan, images.data(), d_data.data());
        };
        const double error = pixel_error(*kernel, p, plan, o, images);
        const double grid = median([&] { to_images(all); });
        const double transforms = median([&] { to_images(single); });
        const double degrid = median([&] { to_data(all); });
        const double back = median([&] { to_data(single); });
        const double count = double(d_rows * channels);
        std::printf(
            "%7.4f %7.0e %2u %5zu %3zu %2u  %8.3f %9.2f %9.2f   %8.3f %9.2f   %.1e",
            width,
            epsilon,
            plan.kernel.support(),
            plan.nu,
            plan.planes,
            w_intervals(plan, 0.2 * epsilon).terms(),
            1e-6 * count / (grid - transforms),
            grid,
            transforms,
            1e-6 * count / (degrid - back),
            degrid,
            error);
        if (energy.works()) {
            const double begin = seconds(), joules = energy.joules();
            double done = 0;
            while (seconds() - begin < 1) {
                to_images(all);
                check_cuda(cudaStreamSynchronize(d_c.compute), "gridding");
                done += count;
            }
            const double used = energy.joules() - joules;
            std::printf(
                "  %.0f W, %.1f nJ", used / (seconds() - begin), 1e9 * used / done);
        }
        std::printf("\n");
        std::fflush(stdout);
        fill<<<1024, 256, 0, d_c.compute>>>(reinterpret_cast<float*>(d_data.data()),
                                            2 * d_data.size());
        check_launch("fill");
    }

private:
    double median(const std::function<void()>& job) const
    {
        return time_of(d_c, 5, job).median;
    }

    //! Of the second polarization, with 2000 rows out of all.
    double pixel_error(device_gridder& kernel,
                       const gridder_params& p,
                       const grid_plan& plan,
                       const observation& o,
                       const cuda_array<float>& images) const
    {
        constexpr std::size_t some = 2000;
        const std::size_t values = some * channels, pixels = p.columns * p.rows;
        std::vector<double> uvw;
        for (std::size_t r = 0; r < some; r++) {
            const double* b = &o.uvw[3 * (r * (d_rows / some))];
            uvw.insert(uvw.end(), b, b + 3);
        }
        const cuda_array<double> there(d_c, uvw.size());
        check_cuda(
            cudaMemcpy(there.data(), uvw.data(), there.bytes(), cudaMemcpyHostToDevice),
            "copying uvw");
        check_cuda(cudaMemset(images.data(), 0, images.bytes()), "clearing images");
        check_cuda(cudaDeviceSynchronize(), "waiting");
        kernel.grid({some, there.data(), channels, o.frequencies.data()},
                    plan,
                    d_data.data(),
                    d_weights.data(),
                    images.data());
        check_cuda(cudaStreamSynchronize(d_c.compute), "gridding");
        std::vector<float> image(pixels);
        check_cuda(cudaMemcpy(image.data(),
                              images.data() + pixels,
                              pixels * sizeof(float),
                              cudaMemcpyDeviceToHost),
                   "copying an image");
        std::mt19937 engine(11);
        double errors = 0, squares = 0;
        for (int n = 0; n < 64; n++) {
            const std::size_t i = engine() % p.columns, j = engine() % p.rows;
            const double l = double(long(i) - long(p.columns / 2)) * p.pixel_l;
            const double m = double(long(j) - long(p.rows / 2)) * p.pixel_m;
            double sum = 0;
            for (std::size_t k = 0; k < values; k++) {
                const double* b = &uvw[3 * (k / channels)];
                const double way =
                    b[0] * l + b[1] * m + (p.w_term ? b[2] * n_minus_1(l, m) : 0);
                const double a =
                    -2 * M_PI * way * o.frequencies[k % channels] / speed_of_light;
                sum += double(noise(2 * (values + k))) * std::cos(a) -
                       double(noise(2 * (values + k) + 1)) * std::sin(a);
            }
            errors += std::pow(double(image[j * p.columns + i]) - sum, 2);
            squares += sum * sum;
        }
        return std::sqrt(errors / squares);
    }

    const cuda_context& d_c;
    const std::vector<double> d_unit;
    const std::size_t d_rows;
    const cuda_array<double> d_uvw;
    const cuda_array<std::complex<float>> d_data;
    const cuda_array<float> d_weights;
};

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        std::fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    try {
        first_gpu(); // says which
        bench b(context_of(0), quick);
        const energy_counter energy;
        std::printf(
            "  field     eps support, cells, planes, terms | gridding: Gvis/s, all ms, "
            "transforms ms | degridding: Gvis/s, all ms | error\n");
        for (const double epsilon : {1e-2, 1e-3, 1e-4, 1e-5, 5e-6}) {
            b.row(0.0042, epsilon, false, energy);
        }
        for (const double epsilon : {1e-3, 1e-4, 1e-5, 5e-6}) {
            b.row(0.0042, epsilon, true, energy);
            b.row(0.04, epsilon, true, energy);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
