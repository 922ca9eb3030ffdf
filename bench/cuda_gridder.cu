/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// W-projection on a GPU, kernels only, with the data of Romein (2012): 44 stations, 16 channels,
// 6 hours of 10 s, 4 polarizations, a grid of 4096 x 4096 cells; 32.7 million visibilities. The
// stations are random. The field is as wide as each support serves. A part of the data is
// compared with the generic convolver.
//
// Then whole images: the same visibilities to four dirty images, from the GPU's memory, and from
// pinned memory of the host in parts whose copies overlap with gridding; last the energy that the
// GPU says it took.
//
//     bench_cuda_gridder [--quick | --tensor]     --tensor: rows of tensor cores alone

#include "kernels/gridder/wprojection/cuda/convolver.h"
#include "kernels/gridder/wprojection/device.h"
#include "romein_setup.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gr::fringe::kernels;
using namespace romein;

namespace {

//! Rms difference by rms.
double difference(const std::vector<std::complex<float>>& got,
                  const std::vector<std::complex<float>>& expected)
{
    double sum = 0, square = 0;
    for (std::size_t k = 0; k < got.size(); k++) {
        sum +=
            std::norm(std::complex<double>(got[k]) - std::complex<double>(expected[k]));
        square += std::norm(std::complex<double>(expected[k]));
    }
    return std::sqrt(sum / square);
}

class bench
{
public:
    bench(const cuda_context& c, bool quick)
        : d_c(c),
          d_unit(tracks(quick ? 216 : 2160)),
          d_rows(d_unit.size() / 3),
          d_uvw(c, d_unit.size()),
          d_values(c, d_rows * channels * pols),
          d_grid(c, grid_side * grid_side * pols),
          d_updates(c, 1)
    {
        fill<<<1024, 256, 0, c.compute>>>(reinterpret_cast<float*>(d_values.data()),
                                          2 * d_values.size());
        check_launch("fill");
        cudaDeviceProp properties;
        check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU");
        int kilohertz = 0;
        check_cuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "clock");
        d_peak = 2.0 * 128 * properties.multiProcessorCount * kilohertz * 1e3;
        std::printf("%.2f million visibilities, fp32 peak %.1f TFLOPS\n",
                    double(d_rows * channels) * 1e-6,
                    d_peak * 1e-12);
    }

    enum class way { nearest, parabolas, tensor_cores, tensor_parabolas };

    //! What a row is made of.
    struct setup {
        gridder_params p;
        observation o;
        std::unique_ptr<w_kernels> kernels;
        std::unique_ptr<counted_convolver> convolver; //!< null: tensor cores do not serve
    };
    setup set_up(unsigned support, double width, std::size_t planes, way how)
    {
        setup s;
        s.p = image_of(width);
        s.o = observe(d_unit, s.p);
        w_kernels::choice choice;
        choice.nu = choice.nv = grid_side;
        choice.support = support;
        choice.planes = planes;
        const bool tensor = how == way::tensor_cores || how == way::tensor_parabolas;
        choice.interpolate = how == way::parabolas || how == way::tensor_parabolas;
        s.kernels = std::make_unique<w_kernels>(s.p, choice, s.o.max_w);
        s.convolver = tensor ? make_tensor_convolver(d_c, *s.kernels, pols)
                             : make_cuda_convolver(d_c, *s.kernels, pols);
        check_cuda(
            cudaMemcpy(
                d_uvw.data(), s.o.uvw.data(), d_uvw.bytes(), cudaMemcpyHostToDevice),
            "copying uvw");
        return s;
    }

    void row(unsigned support, double width, std::size_t planes, way how, int rounds)
    {
        const double begin = seconds();
        const setup now = set_up(support, width, planes, how);
        const double made = seconds();
        const observation& o = now.o;
        const w_kernels& k = *now.kernels;
        const auto& convolver = now.convolver;
        if (!convolver) {
            std::printf("%4u %4zu tensor cores do not serve\n", support, planes);
            return;
        }
        const auto generic = make_generic_convolver(k, pols);
        const auto [spread_error, gather_error] = compare(*convolver, *generic, o);

        visibility_rows at = o.at();
        at.uvw = d_uvw.data();
        clear_grid();
        convolver->count_updates(d_updates.data());
        convolver->spread(at, d_values.data(), d_grid.data());
        convolver->count_updates(nullptr);
        unsigned long long updates = 0;
        check_cuda(cudaStreamSynchronize(d_c.compute), "gridding");
        check_cuda(
            cudaMemcpy(
                &updates, d_updates.data(), sizeof(updates), cudaMemcpyDeviceToHost),
            "copying a count");
        const double count = double(d_rows * channels);
        const double spread = 1e-3 * median(rounds, [&] {
                                  convolver->spread(at, d_values.data(), d_grid.data());
                              });
        const double gather = 1e-3 * median(rounds, [&] {
                                  convolver->gather(at, d_grid.data(), d_values.data());
                              });
        fill<<<1024, 256, 0, d_c.compute>>>(reinterpret_cast<float*>(d_values.data()),
                                            2 * d_values.size());
        check_launch("fill");
        const double flop = 8.0 * support * support * pols;
        std::printf("%4u %4zu %-9s %8.3f %5.1f %% %7.3f %% %8.3f %5.1f %%  %.1e %.1e  "
                    "(kernels %.1f s, all %.1f s)\n",
                    support,
                    planes,
                    how == way::nearest        ? "nearest"
                    : how == way::parabolas    ? "parabola"
                    : how == way::tensor_cores ? "tensor"
                                               : "tensor, p",
                    count / spread * 1e-9,
                    100 * count / spread * flop / d_peak,
                    100 * double(updates) / (count * support * support),
                    count / gather * 1e-9,
                    100 * count / gather * flop / d_peak,
                    spread_error,
                    gather_error,
                    made - begin,
                    seconds() - begin);
        std::fflush(stdout);
    }

    //! The images, and the energy of gridding.
    void whole(unsigned support, double width, way how, const energy_counter& energy)
    {
        const setup now = set_up(support, width, 32, how);
        if (!now.convolver) {
            return;
        }
        const auto transform =
            transform_factory().make({backend::cuda, 0}, *now.kernels, now.p);
        const std::size_t pixels = now.p.columns * now.p.rows * pols;
        cuda_array<float> images(d_c, pixels);
        visibility_rows at = now.o.at();
        at.uvw = d_uvw.data();
        const auto clear = [&] {
            clear_grid();
            check_cuda(cudaMemsetAsync(images.data(), 0, images.bytes(), d_c.compute),
                       "clearing images");
        };
        const auto transforms = [&] {
            transform->add_images(d_grid.data(), images.data());
        };
        const double ffts = median(5, transforms);
        const double resident = median(5, [&] {
            clear();
            now.convolver->spread(at, d_values.data(), d_grid.data());
            transforms();
        });
        // From the host in parts, one after the other in the stream of copies.
        const std::size_t bytes = d_values.bytes();
        void *host = nullptr, *host_uvw = nullptr, *picture = nullptr;
        check_cuda(cudaMallocHost(&host, bytes), "pinning memory");
        check_cuda(cudaMallocHost(&host_uvw, d_uvw.bytes()), "pinning memory");
        check_cuda(cudaMallocHost(&picture, images.bytes()), "pinning memory");
        check_cuda(cudaMemcpy(host, d_values.data(), bytes, cudaMemcpyDeviceToHost),
                   "copying visibilities");
        std::memcpy(host_uvw, now.o.uvw.data(), d_uvw.bytes());
        constexpr std::size_t parts = 16;
        std::vector<cudaEvent_t> there(parts);
        for (auto& e : there) {
            check_cuda(cudaEventCreateWithFlags(&e, cudaEventDisableTiming),
                       "making an event");
        }
        std::vector<double> to_images, to_host, copies;
        const auto copy =
            [&](void* to, const void* from, std::size_t offset, std::size_t n) {
                check_cuda(cudaMemcpyAsync(static_cast<char*>(to) + offset,
                                           static_cast<const char*>(from) + offset,
                                           n,
                                           cudaMemcpyHostToDevice,
                                           d_c.h2d),
                           "copying");
            };
        for (int round = 0; round < 5; round++) {
            check_cuda(cudaDeviceSynchronize(), "waiting");
            double begin = seconds();
            copy(d_values.data(), host, 0, bytes);
            check_cuda(cudaStreamSynchronize(d_c.h2d), "copying");
            copies.push_back(seconds() - begin);
            begin = seconds();
            clear();
            for (std::size_t k = 0; k < parts; k++) {
                const std::size_t from = d_rows * k / parts,
                                  rows = d_rows * (k + 1) / parts - from;
                const std::size_t row = channels * pols * sizeof(std::complex<float>);
                copy(d_uvw.data(), host_uvw, from * 24, rows * 24);
                copy(d_values.data(), host, from * row, rows * row);
                check_cuda(cudaEventRecord(there[k], d_c.h2d), "recording an event");
                check_cuda(cudaStreamWaitEvent(d_c.compute, there[k], 0), "waiting");
                visibility_rows part = at;
                part.rows = rows;
                part.uvw = d_uvw.data() + 3 * from;
                now.convolver->spread(
                    part, d_values.data() + from * channels * pols, d_grid.data());
            }
            transforms();
            check_cuda(cudaStreamSynchronize(d_c.compute), "imaging");
            to_images.push_back(seconds() - begin);
            check_cuda(cudaMemcpyAsync(picture,
                                       images.data(),
                                       images.bytes(),
                                       cudaMemcpyDeviceToHost,
                                       d_c.d2h),
                       "copying images");
            check_cuda(cudaStreamSynchronize(d_c.d2h), "copying images");
            to_host.push_back(seconds() - begin);
        }
        for (auto& e : there) {
            cudaEventDestroy(e);
        }
        cudaFreeHost(host);
        cudaFreeHost(host_uvw);
        cudaFreeHost(picture);
        const auto middle = [](std::vector<double> v) {
            std::sort(v.begin(), v.end());
            return 1e3 * v[v.size() / 2];
        };
        std::printf(
            "%4u %-9s transforms %.2f ms, resident to images %.2f ms, from the host "
            "%.2f ms (images back there %.2f), bare copy of the visibilities %.2f ms",
            support,
            how == way::tensor_cores ? "tensor" : "nearest",
            ffts,
            resident,
            middle(to_images),
            middle(to_host),
            middle(copies));
        if (energy.works()) {
            // The counter is renewed some times a second.
            const double begin = seconds(), joules = energy.joules();
            double done = 0;
            while (seconds() - begin < 1.5) {
                now.convolver->spread(at, d_values.data(), d_grid.data());
                check_cuda(cudaStreamSynchronize(d_c.compute), "gridding");
                done += double(d_rows * channels);
            }
            const double used = energy.joules() - joules;
            std::printf(", gridding %.0f W, %.1f nJ a visibility",
                        used / (seconds() - begin),
                        1e9 * used / done);
        }
        std::printf("\n");
        std::fflush(stdout);
    }

private:
    void clear_grid()
    {
        check_cuda(cudaMemsetAsync(d_grid.data(), 0, d_grid.bytes(), d_c.compute),
                   "clearing a grid");
        check_cuda(cudaMemsetAsync(d_updates.data(), 0, d_updates.bytes(), d_c.compute),
                   "clearing a count");
    }

    double median(int rounds, const std::function<void()>& job) const
    {
        cudaEvent_t begin, end;
        check_cuda(cudaEventCreate(&begin), "making an event");
        check_cuda(cudaEventCreate(&end), "making an event");
        std::vector<float> ms;
        for (int round = 0; round < rounds; round++) {
            float t = 0;
            check_cuda(cudaEventRecord(begin, d_c.compute), "recording an event");
            job();
            check_cuda(cudaEventRecord(end, d_c.compute), "recording an event");
            check_cuda(cudaEventSynchronize(end), "the timed work");
            check_cuda(cudaEventElapsedTime(&t, begin, end), "reading the time");
            ms.push_back(t);
        }
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
        std::sort(ms.begin(), ms.end());
        return ms[ms.size() / 2];
    }

    //! A baseline's worth of rows on the GPU and by the generic convolver.
    std::pair<double, double>
    compare(convolver& cuda, convolver& generic, const observation& o)
    {
        const std::size_t support = cuda.geometry().support;
        const std::size_t budget = (cuda.geometry().margin ? 2u : 20u) * 1000 * 1000;
        const std::size_t rows =
            std::min(d_rows, 3 + budget / (support * support * channels));
        // From the last row of a baseline on, so the next one jumps.
        const std::size_t first = d_rows / 946 * 500 - 2;
        visibility_rows at = o.at();
        at.rows = rows;
        at.uvw = o.uvw.data() + 3 * first;
        std::vector<std::complex<float>> values(rows * channels * pols), gathered(values);
        for (std::size_t k = 0; k < values.size(); k++) {
            const std::size_t n = 2 * (first * channels * pols + k);
            values[k] = {noise(n), noise(n + 1)};
        }
        std::vector<std::complex<float>> grid(generic.grid_values()), got(grid.size());
        generic.spread(at, values.data(), grid.data());
        visibility_rows there = at;
        there.uvw = d_uvw.data() + 3 * first;
        clear_grid();
        cuda.spread(there, d_values.data() + first * channels * pols, d_grid.data());
        check_cuda(cudaStreamSynchronize(d_c.compute), "gridding");
        check_cuda(
            cudaMemcpy(got.data(), d_grid.data(), d_grid.bytes(), cudaMemcpyDeviceToHost),
            "copying a grid");
        const double spread_error = difference(got, grid);
        // Back from the grid that the GPU has made.
        generic.gather(at, got.data(), gathered.data());
        cuda_array<std::complex<float>> out(d_c, gathered.size());
        cuda.gather(there, d_grid.data(), out.data());
        check_cuda(cudaStreamSynchronize(d_c.compute), "degridding");
        check_cuda(
            cudaMemcpy(values.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost),
            "copying visibilities");
        return {spread_error, difference(values, gathered)};
    }

    const cuda_context& d_c;
    const std::vector<double> d_unit;
    const std::size_t d_rows;
    cuda_array<double> d_uvw;
    cuda_array<std::complex<float>> d_values, d_grid;
    cuda_array<unsigned long long> d_updates;
    double d_peak = 0;
};

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const bool tensor = argc > 1 && std::strcmp(argv[1], "--tensor") == 0;
    if (argc > 1 && !quick && !tensor) {
        std::fprintf(stderr, "usage: %s [--quick | --tensor]\n", argv[0]);
        return 2;
    }
    try {
        const double begin = seconds();
        first_gpu(); // says which
        const cuda_context& c = context_of(0);
        bench b(c, quick);
        std::printf(
            "support, planes in w, entries | gridding: Gvis/s, of the fp32 peak, share "
            "of "
            "updates\nthat reach memory | degridding: Gvis/s, of the fp32 peak | rms "
            "differences from generic\n");
        constexpr std::pair<unsigned, double> fields[] = {
            {8, 0.0012}, {16, 0.0042}, {32, 0.01}, {64, 0.023}, {128, 0.04}};
        const auto planes = [&](unsigned support) {
            return tensor && support >= 64 ? std::size_t(16) : 128;
        };
        for (const auto& [support, width] : fields) {
            b.row(support, width, planes(support), bench::way::tensor_cores, 5);
            b.row(support, width, planes(support), bench::way::tensor_parabolas, 5);
        }
        if (tensor) {
            return 0;
        }
        for (const auto& [support, width] : fields) {
            b.row(support, width, 128, bench::way::nearest, support >= 64 ? 2 : 5);
        }
        for (const std::size_t planes : {32, 512}) {
            b.row(16, fields[1].second, planes, bench::way::nearest, 5);
            b.row(32, fields[2].second, planes, bench::way::nearest, 5);
        }
        b.row(16, fields[1].second, 32, bench::way::parabolas, 2);
        const energy_counter energy;
        std::printf("four images of %zu x %zu pixels\n",
                    std::size_t(grid_side / w_kernels::padding),
                    std::size_t(grid_side / w_kernels::padding));
        for (const auto& [support, width] : {fields[0], fields[1], fields[2]}) {
            b.whole(support, width, bench::way::tensor_cores, energy);
        }
        b.whole(16, fields[1].second, bench::way::nearest, energy);
        std::printf("%.1f s in all\n", seconds() - begin);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
