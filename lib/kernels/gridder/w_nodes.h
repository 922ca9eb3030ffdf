/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_W_NODES_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_W_NODES_H

#include <array>
#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * Planes in w for a short range of w, that of an array in a plane at its zenith, say.
 *
 * The phase exp(-2 pi i w d), d = n - 1 from its middle, then turns so little that the
 * polynomial through its values at a few w serves for all others: these w are the planes, at
 * the zeros of a Chebyshev polynomial, and a visibility counts on each of them by Lagrange's
 * weight. A kernel along w would need as many planes as it is wide.
 */
class w_nodes
{
public:
    static constexpr std::size_t max_count = 8;

    //! No planes.
    w_nodes() = default;
    //! The fewest planes, `maximum` at most, whose rms error is at most `error` while the phase
    //! turns `turns` times over the range of w and of n - 1; none where `maximum` do not serve.
    w_nodes(double error, double turns, std::size_t maximum);

    std::size_t count() const { return d_count; }
    //! Where a plane is in the range of w, from 0 to 1.
    double place(std::size_t plane) const { return d_places[plane]; }
    //! How much a visibility at t, from 0 to 1, counts on a plane.
    double weight(std::size_t plane, double t) const;

private:
    void set(std::size_t count);
    double misfit(double turns) const;

    std::size_t d_count = 0;
    std::array<double, max_count> d_places = {};
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_W_NODES_H */
