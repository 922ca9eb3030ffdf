/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The beamformer on a GPU, kernel only, beside cuBLASLt's product of the same shape in the same
// run, which neither widens samples nor makes powers. Useful TFLOPS are 8 x beams x inputs of a
// beam x channels x spectra per second. Powers of every size are compared with plain sums.
//
//     bench_cuda_beams [--quick]

#include "cublaslt.h"
#include "kernels/beamformer/cuda/backend.h"
#include "kernels/xengine/cuda/backend.h"
#include <cstring>
#include <random>

using namespace gr::fringe::kernels;

namespace {

//! A power in double, a thread block for each of the beams and channels `at`.
__global__ void plain(tile_layout l,
                      const std::int8_t* tiles,
                      const float2* weights,
                      const uint2* at,
                      double* powers)
{
    __shared__ double all;
    if (threadIdx.x == 0) {
        all = 0;
    }
    __syncthreads();
    const std::size_t beam = at[blockIdx.x].x, c = at[blockIdx.x].y;
    const float2* const w = weights + (beam * l.channels + c) * l.inputs;
    double power = 0;
    for (std::size_t t = threadIdx.x; t < l.block_spectra; t += blockDim.x) {
        double re = 0, im = 0;
        for (std::size_t i = 0; i < l.inputs; i++) {
            const double xr = tiles[l.at(c, 0, i, t)], xi = tiles[l.at(c, 1, i, t)];
            re += w[i].x * xr - w[i].y * xi;
            im += w[i].x * xi + w[i].y * xr;
        }
        power += re * re + im * im;
    }
    atomicAdd(&all, power);
    __syncthreads();
    if (threadIdx.x == 0) {
        powers[blockIdx.x] = all;
    }
}

__global__ void tiles_to_rows(tile_layout l, const std::int8_t* tiles, char2* rows)
{
    const std::size_t row = blockIdx.x, c = row / l.inputs, i = row % l.inputs;
    for (std::size_t t = threadIdx.x; t < l.block_spectra; t += blockDim.x) {
        rows[row * l.block_spectra + t] =
            make_char2(tiles[l.at(c, 0, i, t)], tiles[l.at(c, 1, i, t)]);
    }
}

__global__ void widen_rows(const char2* rows, std::size_t count, float2* out)
{
    const std::size_t n = blockIdx.x * std::size_t(256) + threadIdx.x;
    if (n < count) {
        out[n] = make_float2(rows[n].x, rows[n].y);
    }
}

enum class kind { tiles, rows, floats };

struct size {
    std::size_t inputs, beams;
    const char* product; //!< "power", "stokes", "voltages"
    kind spectra;
    bool two;  //!< two polarizations: a beam reads every other input
    bool half; //!< weights of 11 bits
    std::size_t channels = 64, block = 2048;
};

//! Random phases; the beams of a polarization read its inputs.
std::vector<std::complex<float>> weights_of(const size& s)
{
    std::mt19937 random(11);
    std::vector<std::complex<float>> weights(s.beams * s.channels * s.inputs);
    for (std::size_t n = 0; n < weights.size(); n++) {
        const std::size_t beam = n / (s.channels * s.inputs);
        if (!s.two || beam % 2 == n % s.inputs % 2) {
            const float turn = static_cast<float>(random()) * 1.4629180792671596e-9f;
            weights[n] = {std::cos(turn), std::sin(turn)};
        }
    }
    return weights;
}

//! The largest relative error of the powers of some beams and channels.
double worst_error(const cuda_context& c,
                   const size& s,
                   const std::int8_t* tiles,
                   const std::vector<std::complex<float>>& weights,
                   const beamformer& former,
                   std::size_t rows)
{
    constexpr std::size_t count = 96;
    std::mt19937 random(5);
    std::vector<uint2> at(count);
    for (auto& a : at) {
        a = make_uint2(random() % s.beams, random() % s.channels);
    }
    const cuda_array<uint2> there(c, count);
    const cuda_array<double> sums(c, count);
    const cuda_array<float2> w(c, weights.size());
    const cuda_array<float> got(c, rows * s.channels);
    // In the order of the stream: a plain copy may return before the data are there.
    check_cuda(
        cudaMemcpyAsync(
            there.data(), at.data(), there.bytes(), cudaMemcpyHostToDevice, c.compute),
        "up");
    check_cuda(
        cudaMemcpyAsync(
            w.data(), weights.data(), w.bytes(), cudaMemcpyHostToDevice, c.compute),
        "up");
    plain<<<count, 256, 0, c.compute>>>(
        {s.inputs, s.channels, s.block}, tiles, w.data(), there.data(), sums.data());
    former.read(1, got.data());
    check_cuda(cudaStreamSynchronize(c.compute), "checking");
    std::vector<double> want(count);
    std::vector<float> have(got.size());
    check_cuda(cudaMemcpy(want.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost),
               "down");
    check_cuda(cudaMemcpy(have.data(), got.data(), got.bytes(), cudaMemcpyDeviceToHost),
               "down");
    double worst = 0;
    for (std::size_t n = 0; n < count; n++) {
        const double error = std::abs(
            static_cast<double>(have[at[n].x * s.channels + at[n].y]) / want[n] - 1);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

//! Spectra of a size as tiles, rows or floats.
struct spectra {
    cuda_array<std::int8_t> tiles;
    cuda_array<char2> rows;
    cuda_array<float2> floats;

    spectra(const cuda_context& c, const size& s)
    {
        const tile_layout l{s.inputs, s.channels, s.block};
        const std::size_t all = s.inputs * s.channels * s.block;
        tiles = {c, l.bytes()};
        fill<<<dim3(static_cast<unsigned>(l.channels * l.input_groups()),
                    static_cast<unsigned>(l.time_groups())),
               256,
               0,
               c.compute>>>(l, noise7, 3, tiles.data());
        if (s.spectra != kind::tiles) {
            rows = {c, all};
            tiles_to_rows<<<static_cast<unsigned>(s.inputs * s.channels),
                            256,
                            0,
                            c.compute>>>(l, tiles.data(), rows.data());
        }
        if (s.spectra == kind::floats) {
            floats = {c, all};
            widen_rows<<<static_cast<unsigned>((all + 255) / 256), 256, 0, c.compute>>>(
                rows.data(), all, floats.data());
        }
        check_launch("making spectra");
    }
    const void* data() const
    {
        return floats.size() ? static_cast<const void*>(floats.data())
               : rows.size() ? static_cast<const void*>(rows.data())
                             : tiles.data();
    }
};

bool bench(const cuda_context& c, const size& s, int runs)
{
    beamformer_params p;
    p.inputs = s.inputs;
    p.beams = s.beams;
    p.channels = s.channels;
    p.block_spectra = s.block;
    p.in = s.spectra == kind::floats ? component::f32 : component::i8;
    p.layout = s.spectra == kind::tiles ? spectra_layout::tensor_tiles
                                        : spectra_layout::channel_major;
    p.pairs = !std::strcmp(s.product, "stokes");
    p.half_precision = s.half;
    const spectra in(c, s);
    const auto weights = weights_of(s);
    const auto former = make_cuda_beamformer(c, p);
    former->set_weights(weights.data());
    former->add(in.data(), 0, s.block);
    const double error = worst_error(c, s, in.tiles.data(), weights, *former, p.rows());
    const bool voltages = !std::strcmp(s.product, "voltages");
    const cuda_array<float2> out(c, voltages ? s.beams * s.channels * s.block : 0);
    const timing time = time_of(c, runs, [&] {
        if (voltages) {
            former->form(in.data(), 0, s.block, out.data());
        } else {
            former->add(in.data(), 0, s.block);
        }
    });
    const std::size_t read = s.two ? s.inputs / 2 : s.inputs;
    const double work = 8e-9 * s.beams * read * s.channels * s.block; // 1e9
    // Of two polarizations as two products, half of the beams each.
    const double gemm = 1e-12 * gemm_rate<__half>(c,
                                                  runs,
                                                  {2 * s.beams / (s.two ? 2 : 1),
                                                   s.block,
                                                   2 * read,
                                                   s.channels * (s.two ? 2 : 1)});
    const double rate = work / time.median;
    const bool good = error < (s.half ? 1e-3 : 3e-6);
    std::printf("%6zu %6zu %-9s %-7s %3d bits %3s %8.3f ms %7.1f [%6.1f] %7.1f %5.0f %%  "
                "%.1e%s\n",
                s.inputs,
                s.beams,
                s.product,
                s.spectra == kind::tiles  ? "tiles"
                : s.spectra == kind::rows ? "rows"
                                          : "float32",
                s.half                      ? 11
                : s.spectra == kind::floats ? 24
                                            : 22,
                s.two ? "2" : "1",
                time.median,
                rate,
                work / time.fastest,
                gemm,
                gemm > 0 ? 100 * rate / gemm : 0.0,
                error,
                good ? "" : " WRONG");
    std::fflush(stdout);
    return good;
}

//! Beams beside the X-engine, from the same tiles: the share of real time of both.
void bench_with_correlator(const cuda_context& c, int runs)
{
    constexpr double bandwidth = 30.72e6;
    const size s{512, 2000, "power", kind::tiles, true, true};
    const spectra in(c, s);
    xengine_params x;
    x.inputs = s.inputs;
    x.channels = s.channels;
    x.block_spectra = s.block;
    x.in = component::i8;
    x.layout = spectra_layout::tensor_tiles;
    beamformer_params p;
    p.inputs = s.inputs;
    p.beams = s.beams;
    p.channels = s.channels;
    p.block_spectra = s.block;
    p.in = component::i8;
    p.layout = x.layout;
    p.half_precision = true;
    const auto engine = make_cuda_xengine_i8_tiles(c, x);
    const auto former = make_cuda_beamformer(c, p);
    former->set_weights(weights_of(s).data());
    const timing beams = time_of(c, runs, [&] { former->add(in.data(), 0, s.block); });
    const timing sums = time_of(c, runs, [&] {
        engine->clear();
        engine->accumulate(in.data(), 0, s.block);
    });
    const timing both = time_of(c, runs, [&] {
        engine->clear();
        engine->accumulate(in.data(), 0, s.block);
        former->add(in.data(), 0, s.block);
    });
    // Spectra x channels are the samples of an input.
    const double ms = 1e3 * static_cast<double>(s.channels * s.block) / bandwidth;
    std::printf(
        "512 inputs x 30.72 MHz, of real time: 1000 beams of two polarizations %.1f "
        "%%, correlator %.1f %%, both from the same tiles %.1f %%\n",
        100 * beams.median / ms,
        100 * sums.median / ms,
        100 * both.median / ms);
}

} // namespace

int main(int argc, char** argv)
{
    bool quick = false;
    for (int k = 1; k < argc; k++) {
        quick = quick || !std::strcmp(argv[k], "--quick");
    }
    const int runs = quick ? 10 : 30;
    const cuda_context c = first_gpu();
    std::printf(
        "inputs  beams product   spectra  weights  pol             useful TFLOPS   "
        "cuBLASLt fp16   error\n");
    bool good = true;
    for (const size& s : std::vector<size>{
             {512, 1024, "power", kind::tiles, false, true},
             {512, 1024, "power", kind::tiles, false, false},
             {512, 1024, "power", kind::rows, false, true},
             {512, 128, "power", kind::tiles, false, true},
             {512, 16, "power", kind::tiles, false, true},
             {1024, 1024, "power", kind::tiles, false, true},
             {64, 1024, "power", kind::tiles, false, true},
             {64, 16, "power", kind::tiles, false, true},
             {512, 2000, "power", kind::tiles, true, true},
             {512, 2000, "stokes", kind::tiles, true, true},
             {512, 128, "voltages", kind::tiles, false, true},
             {512, 128, "power", kind::floats, false, false},
             {64, 16, "power", kind::floats, false, false},
         }) {
        good &= bench(c, s, runs);
    }
    bench_with_correlator(c, runs);
    cudaStreamDestroy(c.compute);
    return good ? 0 : 1;
}
