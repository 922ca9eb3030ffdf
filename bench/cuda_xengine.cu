/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The integer X-engine on a GPU, kernel only, beside what the chip does in the same run:
// useful TOPS are 8 x channels x spectra x inputs (inputs + 1) / 2 per second. Every size
// is compared with plain sums at some of its products.
//
//     bench_cuda_xengine [--quick]

#include "kernels/cuda/context.h"
#include "kernels/xengine/cuda/backend.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <vector>
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define FRINGE_CUBLASLT
#endif

using namespace gr::fringe::kernels;

namespace {

constexpr double nominal_tops = 1979; // of an H100 or H200, dense int8

__device__ unsigned hash(unsigned long long n)
{
    n ^= n >> 31;
    n *= 0x9e3779b97f4a7c15ull;
    n ^= n >> 29;
    n *= 0xbf58476d1ce4e5b9ull;
    return static_cast<unsigned>(n >> 32);
}

//! What is correlated. Noise of an rms of a quarter of the range is what quantizers make of
//! the sky; uniform samples draw the most power, and with 8 bits R + I always wraps.
struct samples {
    const char* name;
    int most;  //!< largest magnitude
    float rms; //!< 0: uniform
};

__device__ int sample(const samples& s, unsigned long long n)
{
    const unsigned r = hash(n);
    if (s.rms == 0) {
        return static_cast<int>(r % (2u * s.most + 1)) - s.most;
    }
    const float u = ((r >> 16) + 1) / 65537.0f, v = (r & 0xffff) / 65536.0f;
    const float x = s.rms * sqrtf(-2 * logf(u)) * cospif(2 * v);
    return max(min(__float2int_rn(x), s.most), -s.most);
}

//! A thread block for 8 inputs x 128 spectra.
__global__ void fill(tile_layout l, samples s, unsigned seed, std::int8_t* tiles)
{
    const std::size_t g = blockIdx.x % l.input_groups(),
                      c = blockIdx.x / l.input_groups();
    bool wrapped = false;
    for (std::size_t n = threadIdx.x; n < tile_layout::group; n += blockDim.x) {
        const std::size_t i = g * 8 + n / 128,
                          t = blockIdx.y * std::size_t(128) + n % 128;
        int re = 0, im = 0;
        if (i < l.inputs && t < l.block_spectra) {
            const auto k = 2 * (((((seed << 13) + c) << 13) + i) * l.block_spectra + t);
            re = sample(s, k);
            im = sample(s, k + 1);
        }
        const std::int8_t e = static_cast<std::int8_t>(re + im);
        wrapped |= e != re + im;
        tiles[l.at(c, 0, i, t)] = static_cast<std::int8_t>(re);
        tiles[l.at(c, 1, i, t)] = static_cast<std::int8_t>(im);
        if (l.planes() == 3) {
            tiles[l.at(c, 2, i, t)] = e;
        }
    }
    wrapped = __syncthreads_or(wrapped);
    if (threadIdx.x == 0) {
        tiles[l.flag_at(c, g * 8, blockIdx.y * std::size_t(128))] = wrapped;
    }
}

//! Plain sums of a product of a channel; a thread block for each of the pairs.
__global__ void plain(
    tile_layout l, const std::int8_t* tiles, std::size_t c, const int2* pairs, int2* sums)
{
    __shared__ int re, im;
    re = im = 0;
    __syncthreads();
    const int i = pairs[blockIdx.x].x, j = pairs[blockIdx.x].y;
    for (std::size_t t = threadIdx.x; t < l.block_spectra; t += blockDim.x) {
        const int xr = tiles[l.at(c, 0, i, t)], xi = tiles[l.at(c, 1, i, t)];
        const int yr = tiles[l.at(c, 0, j, t)], yi = tiles[l.at(c, 1, j, t)];
        atomicAdd(&re, xr * yr + xi * yi);
        atomicAdd(&im, xi * yr - xr * yi);
    }
    __syncthreads();
    sums[blockIdx.x] = make_int2(re, im);
}

constexpr samples noise4{"noise 4", 7, 2}, noise7{"noise 7", 63, 16},
    uniform7{"uniform 7", 63, 0}, uniform8{"uniform 8", 127, 0};

struct figure {
    double median, low, high;
};

//! Seconds of a job: the median and the spread of many.
figure seconds(const cuda_context& c, int runs, const std::function<void(int)>& job)
{
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "event");
    check_cuda(cudaEventCreate(&end), "event");
    std::vector<double> times;
    for (int k = -3; k < runs; k++) {
        check_cuda(cudaEventRecord(begin, c.compute), "timing");
        job(k + 3);
        check_cuda(cudaEventRecord(end, c.compute), "timing");
        check_cuda(cudaEventSynchronize(end), "timing");
        float ms;
        check_cuda(cudaEventElapsedTime(&ms, begin, end), "timing");
        if (k >= 0) {
            times.push_back(1e-3 * ms);
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return {
        times[times.size() / 2], times[times.size() / 10], times[times.size() * 9 / 10]};
}

//! Bytes read and written per second by a copy within the device.
double copy_rate(const cuda_context& c, int runs)
{
    constexpr std::size_t bytes = std::size_t(2) << 30;
    const cuda_array<char> from(c, bytes), to(c, bytes);
    check_cuda(cudaMemsetAsync(from.data(), 1, bytes, c.compute), "filling");
    const auto time = seconds(c, runs, [&](int) {
        check_cuda(
            cudaMemcpyAsync(
                to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, c.compute),
            "copying");
    });
    return 2.0 * bytes / time.median;
}

//! Operations per second of cuBLASLt's int8 product of n x n matrices; 0: not found.
double gemm_rate([[maybe_unused]] const cuda_context& c, [[maybe_unused]] int runs)
{
#ifdef FRINGE_CUBLASLT
    void* library = nullptr;
    for (const char* name :
         {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
        library = library ? library : dlopen(name, RTLD_NOW);
    }
    if (!library) {
        return 0;
    }
    const auto find = [&](auto* of, const char* name) {
        return reinterpret_cast<decltype(of)>(dlsym(library, name));
    };
    const auto create = find(&cublasLtCreate, "cublasLtCreate");
    const auto describe = find(&cublasLtMatmulDescCreate, "cublasLtMatmulDescCreate");
    const auto set =
        find(&cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
    const auto shape = find(&cublasLtMatrixLayoutCreate, "cublasLtMatrixLayoutCreate");
    const auto prefer =
        find(&cublasLtMatmulPreferenceCreate, "cublasLtMatmulPreferenceCreate");
    const auto set_preference = find(&cublasLtMatmulPreferenceSetAttribute,
                                     "cublasLtMatmulPreferenceSetAttribute");
    const auto ask =
        find(&cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
    const auto multiply = find(&cublasLtMatmul, "cublasLtMatmul");
    constexpr std::size_t n = 8192;
    const cuda_array<std::int8_t> a(c, n * n), b(c, n * n);
    const cuda_array<std::int32_t> sums(c, n * n);
    const tile_layout l{n, 1, n / 2}; // two planes fill as many bytes
    cuda_array<std::int8_t> noise(c, l.bytes());
    fill<<<dim3(l.input_groups(), l.time_groups()), 256, 0, c.compute>>>(
        l, noise7, 1, noise.data());
    for (auto* to : {a.data(), b.data()}) {
        check_cuda(
            cudaMemcpyAsync(to, noise.data(), n * n, cudaMemcpyDeviceToDevice, c.compute),
            "copying");
    }
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t side, out;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    if (create(&handle) || describe(&product, CUBLAS_COMPUTE_32I, CUDA_R_32I) ||
        set(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)) ||
        shape(&side, CUDA_R_8I, n, n, n) || shape(&out, CUDA_R_32I, n, n, n)) {
        return 0;
    }
    constexpr std::size_t work_bytes = 64 << 20;
    const cuda_array<char> work(c, work_bytes);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t ways[8];
    int found = 0;
    if (prefer(&preference) ||
        set_preference(preference,
                       CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                       &work_bytes,
                       sizeof(work_bytes)) ||
        ask(handle, product, side, side, out, out, preference, 8, ways, &found)) {
        return 0;
    }
    const std::int32_t one = 1, zero = 0;
    double best = 0; // of all ways that it proposes
    for (int k = 0; k < found; k++) {
        bool good = true;
        const auto time = seconds(c, runs, [&](int) {
            good &= multiply(handle,
                             product,
                             &one,
                             a.data(),
                             side,
                             b.data(),
                             side,
                             &zero,
                             sums.data(),
                             out,
                             sums.data(),
                             out,
                             &ways[k].algo,
                             work.data(),
                             work_bytes,
                             c.compute) == CUBLAS_STATUS_SUCCESS;
        });
        if (good) {
            best = std::max(best, 2.0 * n * n * n / time.median);
        }
    }
    return best;
#else
    return 0;
#endif
}

//! Products of three channels at random pairs of inputs; how many are wrong.
int count_wrong(const cuda_context& c,
                const tile_layout& l,
                const std::int8_t* tiles,
                const xengine& engine)
{
    constexpr int count = 512;
    std::mt19937 random(7);
    std::vector<int2> pairs(count), want(count), got(baselines(l.inputs));
    for (auto& p : pairs) {
        const int a = random() % l.inputs, b = random() % l.inputs;
        p = make_int2(std::min(a, b), std::max(a, b));
    }
    const cuda_array<int2> at(c, count), sums(c, count), all(c, got.size());
    check_cuda(cudaMemcpy(at.data(), pairs.data(), at.bytes(), cudaMemcpyHostToDevice),
               "up");
    int wrong = 0;
    for (const std::size_t channel : {std::size_t(0), l.channels / 2, l.channels - 1}) {
        check_cuda(cudaMemsetAsync(all.data(), 0x55, all.bytes(), c.compute), "poison");
        plain<<<count, 128, 0, c.compute>>>(l, tiles, channel, at.data(), sums.data());
        engine.read(channel, 1, all.data());
        check_cuda(cudaStreamSynchronize(c.compute), "checking");
        check_cuda(
            cudaMemcpy(want.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost),
            "down");
        check_cuda(
            cudaMemcpy(got.data(), all.data(), all.bytes(), cudaMemcpyDeviceToHost),
            "down");
        for (int k = 0; k < count; k++) {
            const auto g = got[baseline_index(pairs[k].x, pairs[k].y, l.inputs)];
            wrong += g.x != want[k].x || g.y != want[k].y;
        }
    }
    return wrong;
}

struct size {
    std::size_t stations, channels, spectra;
    samples data;
};

bool bench(const cuda_context& c, const size& s, int runs, double copied, double gemm)
{
    xengine_params p;
    p.inputs = 2 * s.stations;
    p.channels = s.channels;
    p.block_spectra = s.spectra;
    p.in = component::i8;
    p.layout = spectra_layout::tensor_tiles;
    const tile_layout l{p.inputs, p.channels, p.block_spectra};
    const cuda_array<std::int8_t> tiles(c, l.bytes());
    fill<<<dim3(l.channels * l.input_groups(), l.time_groups()), 256, 0, c.compute>>>(
        l, s.data, static_cast<unsigned>(s.stations), tiles.data());
    check_launch("fill");
    const auto engine = make_cuda_xengine_i8_tiles(c, p);
    engine->accumulate(tiles.data(), 0, s.spectra);
    const int wrong = count_wrong(c, l, tiles.data(), *engine);
    const int fit = static_cast<int>(xengine::max_exact_spectra / s.spectra);
    const auto time = seconds(c, runs, [&](int k) {
        if (k % fit == 0) {
            engine->clear();
        }
        engine->accumulate(tiles.data(), 0, s.spectra);
    });
    const double work = 8.0 * s.channels * s.spectra * baselines(p.inputs);
    // Each sample read once, each sum written once.
    const double least =
        2.0 * s.channels * p.inputs * s.spectra + 8.0 * s.channels * baselines(p.inputs);
    const double tops = 1e-12 * work / time.median;
    const double bound = 1e-12 * work / (least / copied);
    std::printf(
        "%8zu %8zu %8zu %-9s %7.1f (%6.1f-%6.1f)  %8.3f  %8.0f %4.0f %%  %4.0f %%  ",
        s.stations,
        s.channels,
        s.spectra,
        s.data.name,
        tops,
        1e-12 * work / time.high,
        1e-12 * work / time.low,
        1e3 * time.median,
        bound,
        100 * tops / bound,
        100 * tops / nominal_tops);
    if (gemm > 0) {
        std::printf("%4.0f %%", 1e14 * tops / gemm);
    } else {
        std::printf("     -");
    }
    std::printf("  %s\n", wrong ? "WRONG" : "exact");
    std::fflush(stdout);
    return wrong == 0;
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && !std::strcmp(argv[1], "--quick");
    const int runs = quick ? 10 : 40;
    cuda_context c;
    cudaDeviceProp d;
    check_cuda(cudaGetDeviceProperties(&d, 0), "no GPU");
    c.capability = 10 * d.major + d.minor;
    c.multiprocessors = d.multiProcessorCount;
    c.shared_bytes = d.sharedMemPerBlockOptin;
    c.l2_bytes = d.l2CacheSize;
    check_cuda(cudaStreamCreateWithFlags(&c.compute, cudaStreamNonBlocking), "stream");
    const double copied = copy_rate(c, runs), gemm = gemm_rate(c, runs);
    std::printf("%s: copy within the device %.2f TB/s, ", d.name, 1e-12 * copied);
    if (gemm > 0) {
        std::printf("cuBLASLt int8 8192^3 %.0f TOPS", 1e-12 * gemm);
    } else {
        std::printf("no cuBLASLt");
    }
    std::printf(", nominal %.0f TOPS\n", nominal_tops);
    std::printf(
        "stations channels  spectra samples    useful TOPS (10-90 %%)         ms  memory "
        "bound     nominal  GEMM\n");
    std::vector<size> sizes = {
        {8, 8192, 8192, noise7},
        {32, 2048, 8192, noise7},
        {64, 1024, 8192, noise7},
        {256, 256, 8192, noise7},
        {512, 128, 8192, noise7},
        {1024, 64, 8192, noise7},
        {2048, 32, 8192, noise7},
        {512, 128, 8192, uniform8},
        {1024, 64, 8192, uniform8},
    };
    if (!quick) {
        const std::vector<size> more = {
            {16, 4096, 8192, noise7},
            {128, 512, 8192, noise7},
            {256, 256, 8192, uniform8},
            {512, 128, 8192, uniform7},
            {1024, 64, 8192, uniform7},
            {2048, 32, 8192, uniform7},
            {1024, 64, 8192, noise4},
            {2048, 32, 8192, uniform8},
            {64, 8192, 1024, noise7},
            {256, 1280, 1024, noise7},
            {1024, 256, 1024, noise7},
            {1024, 256, 2048, noise7},
            {1024, 2, 8192, noise7},
            {4096, 4, 8192, noise7},
        };
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    bool good = true;
    for (const auto& s : sizes) {
        good &= bench(c, s, runs, copied, gemm);
    }
    cudaStreamDestroy(c.compute);
    return good ? 0 : 1;
}
