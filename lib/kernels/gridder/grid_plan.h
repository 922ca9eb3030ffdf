/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_GRID_PLAN_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_GRID_PLAN_H

#include "kernels/gridder/es_kernel.h"
#include "kernels/gridder/gridder.h"
#include "kernels/gridder/w_nodes.h"

namespace gr::fringe::kernels {

constexpr double speed_of_light = 299792458.0;

//! How far the visibilities of a call reach, in wavelengths. Those with w < 0 count as
//! their conjugates at -(u, v, w), which add the same to an image.
struct uvw_extent {
    double u = 0, v = 0;         //!< largest |u|, |v|
    double min_w = 0, max_w = 0; //!< of |w|
    std::size_t visibilities = 0;
};

//! weights: null = all count.
FRINGE_API uvw_extent extent_of(const visibility_rows& at, const float* weights);

//! What work costs a backend, in any unit.
struct grid_costs {
    double visibility = 20, cell = 0.5; //!< of a visibility, and of a cell around it
    unsigned cells_at_once = 1;
    double plane_terms = 0; //!< sums of a visibility for all planes; 0: one for each
    double point = 0.5;     //!< of a transform, by its logarithm
    double pixel = 3;       //!< of a plane

    static grid_costs of_cpu() { return {}; }
    //! Measured on an H100 with four polarizations.
    static grid_costs of_gpu() { return {3, 0.11, 32, 2, 0.5, 5}; }
};

/*!
 * The grid of one call: nu x nv cells, on planes in w. A visibility at (u, v, w) wavelengths
 * is at cell (u u_cells, v v_cells) of plane (w - first_w) / w_step. Where w is in a short
 * range the planes are its nodes instead, from first_w on over a range of w_step.
 *
 * Phases along w are taken from the middle of the range of n - 1, which halves the number of
 * planes: a visibility is multiplied by exp(-2 pi i w middle) beforehand.
 */
struct FRINGE_API grid_plan {
    es_kernel kernel;
    std::size_t nu, nv;
    double u_cells, v_cells;
    bool planes_in_w; //!< else there is one plane, and phases along w are left out
    double middle = 0, first_w = 0, w_step = 1;
    std::size_t planes = 1;
    w_nodes nodes;

    //! The cheapest grid that keeps the asked error.
    static grid_plan make(const gridder_params& p,
                          const uvw_extent& e,
                          const grid_costs& costs = grid_costs::of_cpu());
    double plane_w(std::size_t plane) const
    {
        return first_w + (nodes.count() ? nodes.place(plane) : double(plane)) * w_step;
    }
    //! Planes that a visibility reaches.
    std::size_t depth() const
    {
        return nodes.count() ? nodes.count() : planes_in_w ? kernel.support() : 1;
    }
    //! How much a visibility at w counts on a plane.
    double plane_weight(double w, std::size_t plane) const;
    //! What the image at n - 1 is multiplied by for that.
    double w_correction(double n) const;

private:
    grid_plan(const gridder_params& p, const uvw_extent& e, double oversampling);
    void set_planes(const gridder_params& p, const uvw_extent& e, double oversampling);
    void set_nodes(const gridder_params& p, const uvw_extent& e);
    double
    cost(const gridder_params& p, const uvw_extent& e, const grid_costs& costs) const;
};

//! n - 1, for l^2 + m^2 < 1.
FRINGE_API double n_minus_1(double l, double m);

//! The smallest even length of a quick transform that is not below n.
FRINGE_API std::size_t quick_length(double n);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_GRID_PLAN_H */
