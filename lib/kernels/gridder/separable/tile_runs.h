/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_TILE_RUNS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_TILE_RUNS_H

#include "kernels/gridder/cell_map.h"
#include <cstdint>
#include <vector>

namespace gr::fringe::kernels {

class workers;

//! Neighboring channels of a row that begin in one tile and at one plane.
struct tile_run {
    std::uint64_t key;
    std::uint32_t row, first, count;
};

/*!
 * All visibilities in runs, in the order of their first plane, the color of their tile, and
 * the tile. Tiles of one color (four: even or odd along u and v) lie so far apart that
 * several threads may add to them at once.
 */
class tile_runs
{
public:
    //! weights: null = all count; rows without any are left out.
    tile_runs(const cell_map& map,
              const visibility_rows& at,
              const std::vector<double>& wavenumbers,
              const float* weights,
              workers& all);

    //! The runs of one tile and plane.
    struct bucket {
        std::size_t plane, tile_u, tile_v;
        unsigned color;
        std::size_t begin, end; // of runs()
        std::size_t visibilities;
    };
    const std::vector<bucket>& buckets() const { return d_buckets; }
    const std::vector<tile_run>& runs() const { return d_runs; }

private:
    std::uint64_t key(long plane, long u, long v) const;
    void add_row(const visibility_rows& at,
                 const std::vector<double>& wavenumbers,
                 std::size_t row,
                 std::vector<tile_run>& runs) const;
    void sort();
    void find_buckets();

    const cell_map d_map;
    std::vector<tile_run> d_runs;
    std::vector<bucket> d_buckets;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_TILE_RUNS_H */
