/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PLAN_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PLAN_H

#include "kernels/xengine/tiles.h"

namespace gr::fringe::kernels {

// Where the sums of tensor cores stand. They stay in the order in which the threads of a
// warpgroup hold them, 64 rows x n columns in n / 2 registers: [register][thread].

constexpr int warpgroup = 128;

//! Place of a product within 64 rows.
FRINGE_HOST_DEVICE inline std::size_t fragment(int row, int column)
{
    const int held = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
    return held * warpgroup + row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
}

/*!
 * What two thread blocks of the large kernel multiply at a time: a block of 256 rows by
 * another, 128 rows each, or a block by itself, half of the time each.
 */
struct tile_job {
    enum class kind {
        diagonal, //!< a block by itself, from the diagonal on; Re
        cross,    //!< I of a block by R of the same
        plain,    //!< a block by another
        full,     //!< inputs of a block by those of another, Re and Im
    };
    kind what;
    int a, b; //!< blocks of rows
};

/*!
 * Cuts the products of a channel into jobs.
 *
 * Smaller arrays: R and I are one stack of real rows whose products among themselves are
 * all there is: Re_ij = R_i R_j + I_i I_j, Im_ij = R_j I_i - R_i I_j. Larger ones:
 * I R^T - R I^T and E E^T - I R^T - R I^T between different blocks, three products
 * instead of four.
 */
struct tile_plan {
    int groups; //!< of 8 inputs
    bool three; //!< three products

    static constexpr int block_rows = 256;
    static constexpr int block_groups = block_rows / 8;
    static constexpr int half_groups = block_groups / 2;
    static constexpr std::size_t square = 128 * block_rows;
    //! Of a block by itself: two warpgroups with 64 rows x 256 and others x 64 or 128.
    static constexpr std::size_t diagonal_held = 192;
    static constexpr std::size_t diagonal = 2 * diagonal_held * warpgroup;

    //! Groups of rows within a plane, or within the stack.
    FRINGE_HOST_DEVICE int row_groups() const { return three ? groups : 2 * groups; }
    FRINGE_HOST_DEVICE int blocks() const
    {
        return (row_groups() + block_groups - 1) / block_groups;
    }
    FRINGE_HOST_DEVICE int jobs() const
    {
        return blocks() * (blocks() + (three ? 3 : 1)) / 2;
    }
    //! Thread blocks that share a job; a single block of rows has one.
    FRINGE_HOST_DEVICE int sharing() const { return blocks() > 1 ? 2 : 1; }

    FRINGE_HOST_DEVICE tile_job job(int n) const
    {
        using kind = tile_job::kind;
        int b = 0;
        for (int jobs; n >= (jobs = b + (three ? 2 : 1)); b++) {
            n -= jobs;
        }
        if (n < b) {
            return {three ? kind::full : kind::plain, n, b};
        }
        return {three && n == b ? kind::cross : kind::diagonal, b, b};
    }

    // Where the sums of a job begin: the blocks by themselves first.

    FRINGE_HOST_DEVICE std::size_t sums() const { return before(blocks()); }
    //! A block by itself; each of the thread blocks that share the job has its own sums.
    FRINGE_HOST_DEVICE std::size_t within(int b, int rank) const
    {
        return (b * sharing() + rank) * diagonal;
    }
    //! Half h of block a by block b; if they are the same, the cross products.
    FRINGE_HOST_DEVICE std::size_t between(int a, int h, int b) const
    {
        const std::size_t parts = three && a < b ? 2 : 1; // Re and Im
        return before(b) + (three ? 4 : 2) * square * a + parts * square * h;
    }

    //! Place of the product of row r and row c among 128 x 256.
    FRINGE_HOST_DEVICE static std::size_t in_square(int r, int c)
    {
        return r / 64 * (square / 2) + fragment(r % 64, c);
    }
    //! The same for r <= c among 256 x 256.
    FRINGE_HOST_DEVICE static std::size_t in_diagonal(int r, int c)
    {
        const int part = r / 64; // 0 and 3 are the first warpgroup's, 1 and 2 the other's
        const bool other = part == 1 || part == 2;
        const std::size_t held = other * diagonal_held + (part > 1 ? 128 : 0);
        return held * warpgroup + fragment(r % 64, part > 1 ? c - 64 * part : c);
    }

private:
    //! Sums of all squares with the blocks before b.
    FRINGE_HOST_DEVICE std::size_t before(std::size_t b) const
    {
        return within(blocks(), 0) +
               (three ? b * (b - 1) * 2 + b * 2 : b * (b - 1)) * square;
    }
};

//! Up to 64 inputs the stack of R and I is at most 128 rows, and a warpgroup holds all.
struct small_plan {
    int groups; //!< of 8 inputs

    static constexpr int inputs = 64; //!< at most

    FRINGE_HOST_DEVICE int rows() const { return 16 * groups; }
    //! Columns of the first 64 rows; there are 64 of the next.
    FRINGE_HOST_DEVICE int columns() const
    {
        return rows() > 64 ? 128 : rows() > 32 ? 64 : 32;
    }
    FRINGE_HOST_DEVICE std::size_t sums() const
    {
        return (columns() / 2 + (rows() > 64 ? 32 : 0)) * warpgroup;
    }
    FRINGE_HOST_DEVICE std::size_t in_stack(int r, int c) const
    {
        return r < 64 ? fragment(r, c)
                      : columns() / 2 * warpgroup + fragment(r - 64, c - 64);
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PLAN_H */
