/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Flagging on a GPU, kernels only: the pass that adds up powers and copies a block beside a
// plain copy of the same run, zeroing of one cell in a hundred, and what a window takes
// besides. Sums are compared with the host's.
//
//     bench_cuda_kurtosis [--quick]

#include "cuda_timing.h"
#include "kernels/cuda/context.h"
#include "kernels/kurtosis/cuda/backend.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

using namespace gr::fringe::kernels;

namespace {

struct result {
    double s1, s2;
};

result sums_of(const kurtosis_params& p, const void* block, std::size_t cell)
{
    const tile_layout tiles{p.inputs, p.channels, p.block_spectra};
    const auto bytes = static_cast<const std::int8_t*>(block);
    result sums{0, 0};
    for (std::size_t t = 0; t < p.block_spectra; t++) {
        double x[2];
        for (int part = 0; part < 2; part++) {
            const std::size_t at = 2 * (cell * p.block_spectra + t) + part;
            x[part] = p.in == component::f32 ? static_cast<const float*>(block)[at]
                      : p.layout == spectra_layout::tensor_tiles
                          ? bytes[tiles.at(cell / p.inputs, part, cell % p.inputs, t)]
                          : bytes[at];
        }
        const double power = x[0] * x[0] + x[1] * x[1];
        sums.s1 += power;
        sums.s2 += power * power;
    }
    return sums;
}

//! Whether sums of some cells are right.
bool right(const cuda_context& c,
           const kurtosis_params& p,
           kurtosis& k,
           const std::vector<std::uint8_t>& block,
           std::mt19937& engine)
{
    const std::size_t cells = p.channels * p.inputs;
    cuda_array<float> s1(c, cells), s2(c, cells);
    k.read(s1.data(), s2.data());
    std::vector<float> x1(cells), x2(cells);
    check_cuda(cudaStreamSynchronize(c.compute), "adding up");
    check_cuda(cudaMemcpy(x1.data(), s1.data(), s1.bytes(), cudaMemcpyDeviceToHost),
               "copying sums");
    check_cuda(cudaMemcpy(x2.data(), s2.data(), s2.bytes(), cudaMemcpyDeviceToHost),
               "copying sums");
    for (int n = 0; n < 20; n++) {
        const std::size_t cell = engine() % cells;
        const result sums = sums_of(p, block.data(), cell);
        if (!(std::abs(static_cast<double>(x1[cell]) / sums.s1 - 1) < 1e-5 &&
              std::abs(static_cast<double>(x2[cell]) / sums.s2 - 1) < 1e-5)) {
            return false;
        }
    }
    return true;
}

void row(const cuda_context& c, const kurtosis_params& p, int rounds)
{
    std::mt19937 engine(1);
    const bool tiled = p.layout == spectra_layout::tensor_tiles;
    const std::size_t cells = p.channels * p.inputs;
    const std::size_t bytes =
        tiled ? tile_layout{p.inputs, p.channels, p.block_spectra}.bytes()
              : cells * p.block_spectra * 2 * component_bytes(p.in);
    std::vector<std::uint8_t> block(bytes);
    for (std::size_t n = 0; n + 4 <= bytes; n += 4) {
        const std::uint32_t some = engine();
        const float value = static_cast<float>(some) * 1e-9f - 2;
        std::memcpy(&block[n],
                    p.in == component::f32 ? static_cast<const void*>(&value) : &some,
                    4);
    }
    // Enough of them that none is still in the L2 when its turn comes.
    const std::size_t copies = std::max<std::size_t>((std::size_t(512) << 20) / bytes, 1);
    cuda_array<std::uint8_t> in(c, copies * bytes), out(c, copies * bytes);
    for (std::size_t n = 0; n < copies; n++) {
        check_cuda(
            cudaMemcpy(
                in.data() + n * bytes, block.data(), bytes, cudaMemcpyHostToDevice),
            "copying spectra");
    }
    const auto k = make_cuda_kurtosis(c, p);
    std::size_t turn = 0;
    const auto next = [&] { return turn++ % copies * bytes; };
    k->add(in.data(), p.block_spectra, out.data());
    const bool good = right(c, p, *k, block, engine);
    const auto median_of = [&](const std::function<void()>& job) {
        return time_of(c, rounds, job).median;
    };
    const double copy = median_of([&] {
        const std::size_t at = next();
        check_cuda(cudaMemcpyAsync(out.data() + at,
                                   in.data() + at,
                                   bytes,
                                   cudaMemcpyDeviceToDevice,
                                   c.compute),
                   "copying");
    });
    const double with_copy = median_of([&] {
        const std::size_t at = next();
        k->add(in.data() + at, p.block_spectra, out.data() + at);
    });
    const double alone =
        median_of([&] { k->add(in.data() + next(), p.block_spectra, nullptr); });
    std::vector<cell_run> flagged;
    for (std::size_t cell = 0; cell < cells; cell += 100) {
        flagged.push_back({static_cast<std::uint32_t>(cell), 1});
    }
    const double zeros = median_of([&] { k->zero({out.data() + next()}, flagged); });
    cuda_array<float> sums(c, 2 * cells);
    const double read = median_of([&] {
        k->read(sums.data(), sums.data() + cells);
        k->clear();
    });
    std::printf(
        "%5zu x %4zu x %4zu %3s %5s %7.1f %8.1f %5.0f %% %8.1f %8.1f %8.1f   %s\n",
        p.inputs,
        p.channels,
        p.block_spectra,
        component_name(p.in),
        tiled ? "tiles" : "rows",
        1e3 * copy,
        1e3 * with_copy,
        100 * copy / with_copy,
        1e3 * alone,
        1e3 * zeros,
        1e3 * read,
        good ? "right" : "WRONG");
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        std::fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    try {
        const cuda_context c = first_gpu();
        std::printf(
            "microseconds a block: a copy of it, sums with the copy (share of the "
            "copy's speed), sums\nalone, zeros in a cell of a hundred, reading "
            "and clearing the sums\n"
            "inputs x channels x spectra        copy  summed of copy     alone    "
            "zeros     read\n");
        const int rounds = quick ? 21 : 101;
        constexpr auto rows = spectra_layout::channel_major,
                       tiles = spectra_layout::tensor_tiles;
        for (const kurtosis_params& p :
             {kurtosis_params{64, 128, 512, component::f32, rows},
              {8, 4096, 64, component::f32, rows},
              {64, 128, 512, component::i8, rows},
              {8, 4096, 64, component::i8, rows},
              {8, 1000, 61, component::i8, rows}, // two bytes at a time
              {64, 128, 512, component::i8, tiles},
              {512, 1280, 256, component::i8, tiles},
              {1024, 256, 512, component::i8, tiles}}) {
            row(c, p, rounds);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
