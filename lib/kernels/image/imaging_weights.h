/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_IMAGE_IMAGING_WEIGHTS_H
#define INCLUDED_FRINGE_KERNELS_IMAGE_IMAGING_WEIGHTS_H

#include "kernels/gridder/gridder.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Weights by the density of the visibilities in the plane of u and v.
 *
 * The density D of a cell is the sum of the weights in it; cells are as wide as the image
 * resolves, 1 / (columns pixel_l) by 1 / (rows pixel_m) wavelengths, from whole multiples of
 * that on, and (-u, -v) counts as (u, v). WSClean's are the same with -padding 1. The new weight of a visibility of weight W is
 *
 *     uniform:   W / D
 *     Briggs:    W / (1 + D f^2),   f^2 = (5 10^-robust)^2 / (sum over cells D^2 / sum over k W_k)
 *
 * (Briggs 1995). Robust 2 is nearly natural, -2 nearly uniform.
 */
class FRINGE_API imaging_weights
{
public:
    //! Of the image of a gridder.
    explicit imaging_weights(const gridder_params& p);

    //! Counts visibilities of weights [row][channel]. All come before the first apply_...().
    void add(const visibility_rows& at, const float* weights);
    //! Changes weights in place.
    void apply_uniform(const visibility_rows& at, float* weights) const;
    void apply_briggs(const visibility_rows& at, double robust, float* weights) const;

private:
    template <class F>
    void each(const visibility_rows& at, const float* weights, const F& use) const;

    const std::size_t d_columns, d_rows;
    const double d_u_cells, d_v_cells; // to the wavelength
    double d_total = 0;
    std::vector<double> d_density; // [v][u], periodic
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_IMAGE_IMAGING_WEIGHTS_H */
