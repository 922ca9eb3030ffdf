/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_KERNELS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_KERNELS_H

#include "kernels/gridder/es_kernel.h"
#include "kernels/gridder/gridder.h"
#include "kernels/gridder/w_place.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The kernels of W-projection (Cornwell, Golap, Bhatnagar 2008), oversampled 8 times.
 *
 * x = l / (nu pixel_l) and y = m / (nv pixel_m) are cycles per cell. A kernel is
 *
 *     K_w(s, t) = integral T(x) T(y) exp(-2 pi i w (n - 1 - middle)) exp(2 pi i (s x + t y))
 *
 * with the taper T, the transform of an es_kernel, so the transformed grid is the image times
 * T(x) T(y): correction_u() and correction_v() are the reciprocals. The integral is a sum in
 * double precision by FFTs that are padded with zeros. Kernels are cut off at the support.
 */
class FRINGE_API w_kernels
{
public:
    static constexpr unsigned min_support = 8, max_support = 128;
    //! The grid is at least this number of times as wide as the image.
    static constexpr double padding = 1.5;

    //! What a table is made for; 0 means: what the error needs.
    struct choice {
        std::size_t nu = 0, nv = 0;
        unsigned support = 0;
        std::size_t planes = 0;
        bool interpolate = true;
        bool powers_of_two = false; //!< the support is one, as GPUs need it
    };

    //! Throws std::invalid_argument where the support is too small for the image and w.
    w_kernels(const gridder_params& p, const choice& c, double max_w);

    const w_geometry& geometry() const { return d_geometry; }
    //! [plane][fraction of v][fraction of u][v][u], see w_geometry.
    const std::vector<std::complex<float>>& table() const { return d_table; }
    double max_w() const { return d_max_w; } //!< wavelengths
    double correction_u(std::size_t column) const { return d_u[column]; }
    double correction_v(std::size_t row) const { return d_v[row]; }

private:
    double depth(double l, double m) const;
    unsigned needed_support(const gridder_params& p) const;
    unsigned
    needed_along(const gridder_params& p, bool along_u, bool at_edge, unsigned s) const;
    std::size_t needed_planes() const;
    void make_plane(std::size_t plane);

    const es_kernel d_taper;
    const double d_max_w;
    double d_rim; // radius from which n - 1 goes on as a straight line
    double d_deepest;
    w_geometry d_geometry;
    std::vector<double> d_u, d_v;
    std::vector<std::complex<float>> d_table;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_KERNELS_H */
