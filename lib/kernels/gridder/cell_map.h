/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CELL_MAP_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CELL_MAP_H

#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

/*!
 * Where visibilities are on the part of the grid that they reach: cells counted from
 * (first_u, first_v), in tiles of tile x tile first cells. The grid is periodic, so what lies
 * beyond half of it comes in again at the other side; the few cells that a kernel reaches
 * beyond are added there when the grid is transformed.
 */
struct cell_map {
    static constexpr long tile = 16;

    double nu, nv, u_cells, v_cells, half; // half: of the support
    double half_in_w;                      // 1 for nodes
    double planes_per_w, first_w, middle;
    bool planes_in_w, nodes_in_w;
    long first_u, first_v;
    std::size_t tiles_u, tiles_v;

    cell_map(const grid_plan& plan, const uvw_extent& e)
        : nu(double(plan.nu)),
          nv(double(plan.nv)),
          u_cells(plan.u_cells),
          v_cells(plan.v_cells),
          half(0.5 * plan.kernel.support()),
          half_in_w(plan.nodes.count() ? 1 : half),
          planes_per_w(1 / plan.w_step),
          first_w(plan.first_w),
          middle(plan.middle),
          planes_in_w(plan.planes_in_w),
          nodes_in_w(plan.nodes.count() > 0)
    {
        const double u = std::min(e.u * u_cells, nu / 2);
        const double v = std::min(e.v * v_cells, nv / 2);
        const bool wraps = e.v * v_cells > nv / 2;
        first_u = long(std::floor(-u - half)) - 1;
        first_v = long(std::floor((planes_in_w || wraps ? -v : 0) - half)) - 1;
        tiles_u = std::size_t((long(std::ceil(u)) - first_u) / tile) + 1;
        tiles_v = std::size_t((long(std::ceil(v)) - first_v) / tile) + 1;
    }

    //! Of a row: -1 where its conjugate is gridded, so that w, or else v, is not negative.
    double sign(const double* uvw) const
    {
        return (planes_in_w ? uvw[2] : uvw[1]) < 0 ? -1 : 1;
    }
    // The place in cells or planes of a coordinate in wavelengths.
    double u(double lambdas) const { return wrapped(lambdas * u_cells, nu); }
    double v(double lambdas) const { return wrapped(lambdas * v_cells, nv); }
    //! The same from the first cell of a tile on, near which it is known to be.
    double u_in(double lambdas, double from) const
    {
        return wrapped(lambdas * u_cells - from - tile / 2, nu) + tile / 2;
    }
    double v_in(double lambdas, double from) const
    {
        return wrapped(lambdas * v_cells - from - tile / 2, nv) + tile / 2;
    }
    double plane(double lambdas) const { return (lambdas - first_w) * planes_per_w; }
    //! The first of the planes that a visibility reaches.
    double first_plane(double lambdas) const
    {
        return planes_in_w && !nodes_in_w ? std::max(first(plane(lambdas)), 0.0) : 0;
    }
    //! The first of the cells around a place.
    double first(double place) const { return std::ceil(place - half); }

    //! Cells of a line of the grid; vectors may reach beyond the last tile.
    std::size_t width() const { return (tiles_u + 1) * tile; }
    std::size_t height() const { return (tiles_v + 1) * tile; }

private:
    static double wrapped(double x, double n) { return x - n * std::floor(x / n + 0.5); }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CELL_MAP_H */
