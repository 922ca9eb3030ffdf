/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_LAYOUT_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_LAYOUT_H

#include "kernels/base/host_device.h"
#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * Who computes which product in the float32 X-engine of large arrays, and where its sum
 * is kept.
 *
 * Inputs come in tiles of 128, those in cells of 8. A thread has 8 x 8 products, a cell
 * against a cell, and keeps their sums as it holds them in its registers, so that it adds
 * whole lines to memory: 16 bytes [number][thread], a number being two of its products.
 *
 *     squares, tile a against tile b > a: 256 threads, 32 numbers each
 *     triangles, a tile against itself: 128 threads, 32 + 2 numbers each
 *
 * Of the 136 pairs of cells of a triangle 128 are the threads'. The other 8, cells 4-7 and
 * 12-15 against themselves, are cut into 2 x 2 products for all 128 threads: the 2 further
 * numbers.
 */
struct f32_layout {
    static constexpr unsigned tile = 128, cell = 8;
    static constexpr unsigned square_threads = 256, triangle_threads = 128;
    static constexpr unsigned numbers = 32, rest_numbers = 2;
    static constexpr std::size_t square_size = square_threads * numbers;
    static constexpr std::size_t triangle_size =
        triangle_threads * (numbers + rest_numbers);

    std::size_t inputs, channels;

    FRINGE_HOST_DEVICE std::size_t tiles() const { return (inputs + tile - 1) / tile; }
    //! Squares of a channel.
    FRINGE_HOST_DEVICE std::size_t squares() const { return tiles() * (tiles() - 1) / 2; }
    //! In 16 bytes, as are all places.
    FRINGE_HOST_DEVICE std::size_t size() const
    {
        return channels * (squares() * square_size + tiles() * triangle_size);
    }
    FRINGE_HOST_DEVICE std::size_t square_at(std::size_t channel, std::size_t n) const
    {
        return (channel * squares() + n) * square_size;
    }
    //! `n` counts the triangles of all channels.
    FRINGE_HOST_DEVICE std::size_t triangle_at(std::size_t n) const
    {
        return channels * squares() * square_size + n * triangle_size;
    }
    //! Number of the square of tiles a < b in its channel.
    FRINGE_HOST_DEVICE std::size_t square_of(unsigned a, unsigned b) const
    {
        return a * tiles() - std::size_t(a) * (a + 1) / 2 + (b - a - 1);
    }

    //! Two cells of a tile, or of two.
    struct cells {
        unsigned i, j;
    };

    //! A warp has 4 x 8 cells.
    FRINGE_HOST_DEVICE static cells square_cells(unsigned thread)
    {
        const unsigned warp = thread / 32, lane = thread % 32;
        return {warp / 2 * 4 + lane / 8, warp % 2 * 8 + lane % 8};
    }
    FRINGE_HOST_DEVICE static unsigned square_thread(cells c)
    {
        return (c.i / 4 * 2 + c.j / 8) * 32 + c.i % 4 * 8 + c.j % 8;
    }

    //! Warps 0 and 1: cells i < j and the first 4 i = j of either half; warps 2 and 3: one
    //! half against the other.
    FRINGE_HOST_DEVICE static cells triangle_cells(unsigned thread)
    {
        const unsigned warp = thread / 32, lane = thread % 32;
        if (warp >= 2) {
            return {(warp - 2) * 4 + lane / 8, 8 + lane % 8};
        }
        if (lane >= 28) {
            return {warp * 8 + lane - 28, warp * 8 + lane - 28};
        }
        unsigned i = 0, n = lane;
        while (n >= 7 - i) {
            n -= 7 - i++;
        }
        return {warp * 8 + i, warp * 8 + i + 1 + n};
    }
    FRINGE_HOST_DEVICE static bool is_rest(cells c) { return c.i == c.j && c.i % 8 >= 4; }
    //! Of cells that are not of the rest.
    FRINGE_HOST_DEVICE static unsigned triangle_thread(cells c)
    {
        if (c.i < 8 && c.j >= 8) {
            return (2 + c.i / 4) * 32 + c.i % 4 * 8 + c.j - 8;
        }
        const unsigned i = c.i % 8, j = c.j % 8;
        return c.i / 8 * 32 + (i == j ? 28 + i : i * 7 - i * (i - 1) / 2 + j - i - 1);
    }

    //! The first of the 2 x 2 products of the rest that a thread has, in its cell.
    struct rest {
        unsigned cell, row, column;
    };
    FRINGE_HOST_DEVICE static rest rest_of(unsigned thread)
    {
        const unsigned n = thread / 16;
        return {(n < 4 ? 4 : 8) + n, thread / 4 % 4 * 2, thread % 4 * 2};
    }
    FRINGE_HOST_DEVICE static unsigned rest_thread(rest r)
    {
        return (r.cell - (r.cell < 8 ? 4 : 8)) * 16 + r.row / 2 * 4 + r.column / 2;
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_LAYOUT_H */
