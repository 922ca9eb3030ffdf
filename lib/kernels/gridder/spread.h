/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_SPREAD_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_SPREAD_H

#include "kernels/gridder/cell_map.h"
#include <cstdint>

namespace gr::fringe::kernels {

// The loops over visibilities and their cells, compiled for several instruction sets.

//! The kernel on the cells around a place, a polynomial for each of them.
struct FRINGE_API spread_kernel {
    static constexpr unsigned lanes = es_kernel::max_support;
    static constexpr unsigned max_terms = lanes + 4;

    explicit spread_kernel(const es_kernel& kernel, const w_nodes& nodes = {});

    unsigned support;
    alignas(64) float once[max_terms][lanes]; //!< of cell k
    alignas(
        64) float twice[max_terms][2 * lanes];   //!< of real and imaginary part of cell k
    alignas(64) float along_w[max_terms][lanes]; //!< of plane k
};

//! Visibilities of one tile and plane.
struct tile_batch {
    static constexpr std::size_t maximum = 64;

    std::size_t count = 0;
    alignas(64) float re[maximum], im[maximum]; //!< the values
    alignas(64) float turns[maximum];           //!< the phase of the middle of n - 1
    alignas(64) float zu[maximum], zv[maximum],
        zw[maximum];                                 //!< place in the first cell, -1 to 1
    alignas(64) std::int32_t u[maximum], v[maximum]; //!< first cell in the tile
};

//! Where a tile begins.
struct tile_place {
    double u, v, plane; //!< first cells, as cell_map counts them
};

//! Fills in all but the values, for `count` channels of a row.
void place_run(const cell_map& map,
               const tile_place& tile,
               const double* uvw,
               const double* wavenumbers,
               std::size_t count,
               tile_batch& out);
//! The values: data by weight, with the phase of the middle; conjugates where sign < 0.
void take_values(const std::complex<float>* data,
                 const float* weights,
                 double sign,
                 tile_batch& out);
//! The reverse, without weights.
void give_values(const tile_batch& in, double sign, std::complex<float>* data);

//! The first cell of a tile on each plane, complex; `row` floats from a line to the next.
struct tile_cells {
    float* planes[es_kernel::max_support];
    std::size_t count; //!< of planes
    std::size_t row;
};

//! Adds values to cells.
void spread(const spread_kernel& kernel, const tile_batch& from, const tile_cells& to);
//! Sets values to the sums over the conjugates of cells.
void gather(const spread_kernel& kernel, const tile_cells& from, tile_batch& to);

//! cos and sin of 2 pi turns, turns within -0.5 to 0.5.
void waves(const float* turns, std::size_t count, float* re, float* im);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_SPREAD_H */
