/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_KERNEL_CUH
#define INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_KERNEL_CUH

#include "kernels/unpack/cuda/unpack_tile.cuh"

namespace gr::fringe::kernels {

//! What a lane writes at a time.
template <class Out>
union lane_output {
    static constexpr unsigned width = 16 / sizeof(Out);
    Out components[width];
    unsigned words[4];
    uint4 all;

    //! The first `count` components.
    __device__ void write(Out* to, unsigned count, unsigned alignment) const
    {
        if (alignment == 16 && count >= width) {
            *reinterpret_cast<uint4*>(to) = all;
        } else if (alignment == 4 && count >= width) {
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                reinterpret_cast<unsigned*>(to)[k] = words[k];
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < width; k++) {
                if (k < count) {
                    to[k] = components[k];
                }
            }
        }
    }
};

//! Turns the corner: from a tile to its rows. get(components, first, s): those of stream s from
//! number `first` on.
template <class Out, class Code, class Get>
__device__ void
write_rows(const unpack_work& w, const unpack_tile<Code>& tile, const Get& get)
{
    using output = lane_output<Out>;
    constexpr unsigned width = output::width;
    static_assert(width % Code::parts == 0, "whole samples");
    // log2 of the outputs of a row of the tile
    const unsigned shift = w.tile_shift + (Code::parts == 2) -
                           (sizeof(Out) == 1   ? 4
                            : sizeof(Out) == 2 ? 3
                                               : 2);
    const unsigned components = tile.count * Code::parts;
    const unsigned all = tile.streams << shift;
    for (unsigned n = threadIdx.x; n < all; n += unpack_threads) {
        const unsigned s = n >> shift, first = (n & ((1u << shift) - 1)) * width;
        if (first >= components) {
            continue;
        }
        output v;
        get(v.components, first, s);
        const std::size_t row = w.rows[tile.file * w.streams + tile.stream + s];
        v.write(static_cast<Out*>(w.out) + (row * w.samples + tile.sample) * Code::parts +
                    first,
                components - first,
                w.alignment);
    }
}

template <class Code, class Out>
__global__ void __launch_bounds__(unpack_threads) unpack_kernel(const unpack_work w)
{
    extern __shared__ unsigned shared[];
    unpack_tile<Code> tile(w, shared);
    tile.load();
    constexpr unsigned width = lane_output<Out>::width;
    using row = Out(&)[width];
    if constexpr (Code::code_bits < 8) {
        if (w.in_words) {
            write_rows<Out>(w, tile, [&](row components, unsigned first, unsigned) {
                tile.get_words(first, components);
            });
            return;
        }
    }
    if (w.regular) {
        write_rows<Out>(w, tile, [&](row components, unsigned first, unsigned s) {
            const char* begin = tile.begin(first / Code::parts);
#pragma unroll
            for (unsigned k = 0; k < width; k++) {
                components[k] = tile.template get<Out>(begin, s, k % Code::parts);
                begin += k % Code::parts + 1 == Code::parts ? tile.step() : 0;
            }
        });
    } else {
        write_rows<Out>(w, tile, [&](row components, unsigned first, unsigned s) {
            const unsigned t = first / Code::parts;
#pragma unroll
            for (unsigned k = 0; k < width; k++) {
                components[k] =
                    tile.template get<Out>(t + k / Code::parts, s, k % Code::parts);
            }
        });
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_UNPACK_KERNEL_CUH */
