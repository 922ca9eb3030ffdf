/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_LAYOUT_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_LAYOUT_H

#include "kernels/base/host_device.h"
#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * Which warp of the float32 X-engine on tensor cores computes which products, and where
 * their sums are kept.
 *
 * Inputs come in cells of 8, cells in groups of `cells`. A part of the work, a warp's, is a
 * group against itself or against a later one; it consists of pairs of cells:
 *
 *     triangles, one a group: cells i <= j, number j (j + 1) / 2 + i
 *     squares, two groups a < b: cell i of a against cell j of b, number j cells + i
 *
 * A pair takes 32 numbers of 16 bytes, one a lane: lane 4 r + q has the products of row r
 * with the columns 2 q and 2 q + 1, two real parts and then two imaginary ones.
 */
struct f32_tensor_layout {
    std::size_t inputs, channels;
    unsigned cells; //!< of a group

    FRINGE_HOST_DEVICE unsigned groups() const
    {
        return static_cast<unsigned>((inputs + 8 * cells - 1) / (8 * cells));
    }
    FRINGE_HOST_DEVICE unsigned parts() const { return groups() * (groups() + 1) / 2; }
    //! Pairs of cells of a part.
    FRINGE_HOST_DEVICE unsigned triangle() const { return cells * (cells + 1) / 2; }
    FRINGE_HOST_DEVICE unsigned square() const { return cells * cells; }
    //! Of a channel, in 16 bytes, as are all places.
    FRINGE_HOST_DEVICE std::size_t channel_size() const
    {
        const std::size_t n = groups();
        return 32 * (n * triangle() + n * (n - 1) / 2 * square());
    }
    FRINGE_HOST_DEVICE std::size_t size() const { return channels * channel_size(); }
    FRINGE_HOST_DEVICE std::size_t at(std::size_t channel, unsigned part) const
    {
        const unsigned n = groups();
        return channel * channel_size() +
               std::size_t(32) * (part < n ? part * triangle()
                                           : n * triangle() + (part - n) * square());
    }

    struct pair {
        unsigned a, b;
    };
    //! Triangles come first, then the squares row after row.
    FRINGE_HOST_DEVICE pair groups_of(unsigned part) const
    {
        const unsigned n = groups();
        if (part < n) {
            return {part, part};
        }
        unsigned rest = part - n, a = 0;
        while (rest >= n - 1 - a) {
            rest -= n - 1 - a++;
        }
        return {a, a + 1 + rest};
    }
    FRINGE_HOST_DEVICE unsigned part_of(pair g) const
    {
        const unsigned n = groups();
        return g.a == g.b ? g.a : n + g.a * n - g.a * (g.a + 1) / 2 + g.b - g.a - 1;
    }
    //! Place of the product of inputs i <= j.
    FRINGE_HOST_DEVICE std::size_t at(std::size_t channel, unsigned i, unsigned j) const
    {
        const unsigned size = 8 * cells;
        const pair g = {i / size, j / size};
        const unsigned x = i % size / 8, y = j % size / 8;
        const unsigned number = g.a == g.b ? y * (y + 1) / 2 + x : y * cells + x;
        return at(channel, part_of(g)) + number * 32 + i % 8 * 4 + j % 8 / 2;
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_LAYOUT_H */
