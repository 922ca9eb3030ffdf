/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_W_PLACE_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_W_PLACE_H

#include "kernels/base/host_device.h"
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gr::fringe::kernels {

/*!
 * The grid and the table of kernels of W-projection, as plain values for CPUs and GPUs.
 *
 * The table holds K[plane][fraction of v][fraction of u][v][u], complex float32. Entry (f, d)
 * along an axis is the kernel at d - support / 2 + 1 - f / 8 cells, f from -margin to
 * 7 + margin. Without a margin a visibility takes the nearest entry; with a margin of 1 it
 * takes three entries along u, v and w, which interpolate by a parabola.
 */
struct w_geometry {
    static constexpr int oversampling = 8;

    std::uint32_t nu = 0, nv = 0;    //!< cells of the grid, which is periodic
    std::uint32_t support = 0;       //!< cells of a kernel along u and along v, even
    std::uint32_t margin = 0;        //!< 0 or 1
    std::uint32_t planes = 1;        //!< of w >= 0
    std::uint32_t w_term = 0;        //!< 0: w counts as 0
    double per_nu = 0, per_nv = 0;   //!< reciprocals of nu and nv
    double u_cells = 0, v_cells = 0; //!< cells per wavelength
    double planes_per_w = 0;         //!< per wavelength
    double middle = 0;               //!< value of n - 1 that the kernels leave out

    FRINGE_HOST_DEVICE std::uint32_t fractions() const
    {
        return oversampling + 2 * margin;
    }
    FRINGE_HOST_DEVICE std::uint32_t cells() const { return support * support; }
    FRINGE_HOST_DEVICE std::uint32_t plane_taps() const
    {
        return margin > 0 && planes > 2 ? 3 : 1;
    }
    //! Values from a kernel to that of the next fraction of v, and of the next plane.
    FRINGE_HOST_DEVICE std::size_t v_step() const
    {
        return std::size_t(fractions()) * cells();
    }
    FRINGE_HOST_DEVICE std::size_t plane_step() const { return fractions() * v_step(); }
};

//! Where a visibility is.
struct w_place {
    std::int32_t u, v;    //!< first cell of the grid that the kernel covers
    std::uint32_t fu, fv; //!< nearest fraction, counted in the table
    std::uint32_t plane;  //!< nearest plane, or the middle one of three
    float tu, tv, tw;     //!< distance from there in steps of the table
    float turns;          //!< of the phase that the kernels leave out, within half a turn
    bool conjugate;       //!< w < 0: the conjugate at -(u, v, w) is gridded
};

namespace w_places {

FRINGE_HOST_DEVICE inline void along(double cells,
                                     std::uint32_t n,
                                     double per_n,
                                     const w_geometry& g,
                                     std::int32_t& first,
                                     std::uint32_t& fraction,
                                     float& t)
{
    const double wrapped = cells - n * floor(cells * per_n); // 0 to n
    const double fine = wrapped * w_geometry::oversampling;
    const auto nearest = std::int32_t(floor(fine + 0.5));
    t = float(fine - nearest);
    fraction = std::uint32_t(nearest % w_geometry::oversampling) + g.margin;
    first = nearest / w_geometry::oversampling - std::int32_t(g.support / 2) + 1;
    first += first < 0 ? std::int32_t(n) : 0;
    first -= first >= std::int32_t(n) ? std::int32_t(n) : 0;
}

} // namespace w_places

//! The place of (u, v, w) meters at a wavenumber, waves per meter.
FRINGE_HOST_DEVICE inline w_place
place_of(const w_geometry& g, double u, double v, double w, double wavenumber)
{
    w_place p;
    p.conjugate = g.w_term && w < 0;
    const double scale = p.conjugate ? -wavenumber : wavenumber;
    w_places::along(u * scale * g.u_cells, g.nu, g.per_nu, g, p.u, p.fu, p.tu);
    w_places::along(v * scale * g.v_cells, g.nv, g.per_nv, g, p.v, p.fv, p.tv);
    const double waves = g.w_term ? w * scale : 0, at = waves * g.planes_per_w;
    const std::uint32_t edge = g.plane_taps() / 2;
    const auto nearest = std::uint32_t(floor(at + 0.5));
    const std::uint32_t last = g.planes - 1 - edge;
    p.plane = nearest < edge ? edge : nearest > last ? last : nearest;
    p.tw = float(at - p.plane);
    const double turns = -waves * g.middle;
    p.turns = float(turns - floor(turns + 0.5));
    return p;
}

//! Weights of three neighbors for a parabola through them, t steps from the middle one.
FRINGE_HOST_DEVICE inline void parabola(float t, float weights[3])
{
    weights[0] = 0.5f * t * (t - 1);
    weights[1] = 1 - t * t;
    weights[2] = 0.5f * t * (t + 1);
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_W_PLACE_H */
