/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_W_INTERVALS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_W_INTERVALS_H

#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/w_place.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * What visibilities count on the planes of a plan, as short polynomials of w.
 *
 * Neighboring visibilities of a baseline have nearly the same w. So a step between planes (or
 * the range of the nodes) is divided into intervals, in each of which the weight on plane k is
 *
 *     sum_i weight(k, i) t^i,    t = -1 to 1 over the interval,
 *
 * by interpolation at the zeros of a Chebyshev polynomial. A gridder sums the visibilities of
 * an interval times 1, t, t^2 ... first, and brings these few sums to the planes: a visibility
 * costs as many additions as there are terms, however many planes it reaches.
 */
class FRINGE_API w_intervals
{
public:
    static constexpr unsigned max_terms = 4;
    static constexpr unsigned max_count = 512;

    //! The fewest terms whose intervals are long beside the way of a visibility from a cell
    //! to the next, with rms errors of `error`.
    w_intervals(const grid_plan& plan, double error);

    unsigned terms() const { return d_terms; }
    unsigned count() const { return d_count; } //!< of intervals to a step
    //! weight(k, i) of all intervals, [interval][k, es_kernel::max_support][i, max_terms].
    std::vector<float> weights(const grid_plan& plan) const;

private:
    unsigned d_terms = 1, d_count = 1;
};

//! The first plane that a visibility reaches, and its place in the intervals.
struct interval_place {
    int plane, interval;
    float t;
};
//! Of a w that is `at` planes from the first one, (w - first_w) / w_step. The intervals of a
//! step are counted from its largest w down.
FRINGE_HOST_DEVICE inline interval_place
interval_of(double at, double half_support, bool nodes, unsigned intervals)
{
    const double edge = at - (nodes ? 1 : half_support);
    const double plane = nodes ? 0 : fmax(ceil(edge), 0.0);
    const double part = (plane - edge) * intervals;
    const double inside = fmin(fmax(floor(part), 0.0), intervals - 1.0);
    return {int(plane), int(inside), float(2 * (part - inside) - 1)};
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_W_INTERVALS_H */
