/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/cuda/sums.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

//! blockIdx: x runs, y parts of them, z blocks of spectra.
template <class Chunk>
__global__ void
zero_rows(const blocks_to_zero blocks, std::size_t row_chunks, const cell_run* cells)
{
    const cell_run run = cells[blockIdx.x];
    const auto at = static_cast<Chunk*>(blocks.at[blockIdx.z]) + run.first * row_chunks;
    const std::size_t end = run.count * row_chunks;
    for (std::size_t n = blockIdx.y * threads + threadIdx.x; n < end;
         n += gridDim.y * threads) {
        at[n] = Chunk{};
    }
}

//! The same; 16 bytes a thread.
__global__ void
zero_tiles(const blocks_to_zero blocks, const tile_layout l, const cell_run* cells)
{
    constexpr unsigned pieces = tile_layout::width / 16;
    const cell_run run = cells[blockIdx.x];
    const auto tiles = static_cast<char*>(blocks.at[blockIdx.z]);
    const auto groups = static_cast<unsigned>(l.time_groups()),
               planes = static_cast<unsigned>(l.planes()),
               inputs = static_cast<unsigned>(l.inputs);
    const unsigned end = run.count * groups * planes * pieces;
    for (unsigned n = blockIdx.y * threads + threadIdx.x; n < end;
         n += gridDim.y * threads) {
        const unsigned piece = n % pieces, plane = n / pieces % planes,
                       time = n / pieces / planes % groups * l.width,
                       k = n / pieces / planes / groups;
        const unsigned channel = (run.first + k) / inputs,
                       input = (run.first + k) % inputs;
        *reinterpret_cast<uint4*>(
            tiles + l.at(channel, plane, input, time + piece * 16)) = uint4{};
        // No sum wraps where all inputs of a group are zero; else the flag stays true.
        const unsigned others = min(static_cast<unsigned>(l.rows), inputs - input);
        if (plane == 2 && piece == 0 && input % l.rows == 0 && k + others <= run.count) {
            tiles[l.flag_at(channel, input, time)] = 0;
        }
    }
}

dim3 grid_of(const blocks_to_zero& blocks, std::size_t runs, std::size_t chunks)
{
    // Enough thread blocks for a long run, but not where there are many runs.
    const std::size_t maximum = std::max<std::size_t>(16384 / runs, 1);
    const std::size_t parts = (chunks + 4 * threads - 1) / (4 * threads);
    return {static_cast<unsigned>(runs),
            static_cast<unsigned>(std::min(parts, maximum)),
            blocks.count};
}

template <class Chunk>
void launch_rows(const cuda_context& c,
                 const blocks_to_zero& blocks,
                 std::size_t row_bytes,
                 const cell_run* cells,
                 std::size_t runs,
                 std::size_t longest)
{
    const std::size_t chunks = row_bytes / sizeof(Chunk);
    zero_rows<Chunk><<<grid_of(blocks, runs, longest * chunks), threads, 0, c.compute>>>(
        blocks, chunks, cells);
}

} // namespace

void launch_zero_rows(const cuda_context& c,
                      const blocks_to_zero& blocks,
                      std::size_t row_bytes,
                      const cell_run* cells,
                      std::size_t runs,
                      std::size_t longest)
{
    std::size_t places = row_bytes;
    for (unsigned n = 0; n < blocks.count; n++) {
        places |= reinterpret_cast<std::size_t>(blocks.at[n]);
    }
    const auto launch = places % sizeof(uint4) == 0      ? launch_rows<uint4>
                        : places % sizeof(unsigned) == 0 ? launch_rows<unsigned>
                                                         : launch_rows<unsigned short>;
    launch(c, blocks, row_bytes, cells, runs, longest);
    check_launch("kurtosis: zeros in rows");
}

void launch_zero_tiles(const cuda_context& c,
                       const blocks_to_zero& blocks,
                       const tile_layout& layout,
                       const cell_run* cells,
                       std::size_t runs,
                       std::size_t longest)
{
    const std::size_t chunks = longest * layout.time_groups() * layout.planes() * 8;
    zero_tiles<<<grid_of(blocks, runs, chunks), threads, 0, c.compute>>>(
        blocks, layout, cells);
    check_launch("kurtosis: zeros in tiles");
}

} // namespace gr::fringe::kernels
