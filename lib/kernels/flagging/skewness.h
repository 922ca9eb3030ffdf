/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_SKEWNESS_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_SKEWNESS_H

#include "kernels/flagging/plane.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Makes the deviations z of a plane (median 0, 1.4826 MAD = 1) normal, which are skew.
 *
 * A sum over baselines is: the power of a source fluctuates in all of them together, and where
 * they count z^2, the sum has the chi-square distribution of few degrees of freedom, however
 * many baselines there are. By Wilson & Hilferty (1931) the cube root of such a variable is
 * normal, x = (1 + b n)^3 with a normal n, so
 *
 *     z' = ((1 + z s)^(1/3) - 1) / b,    s = 1.4826 (3 q b + q^3 b^3),  q = 0.6745
 *
 * How skew it is, b, follows from the lower tail alone, in units of the MAD: interference lies
 * in the upper one.
 */
class FRINGE_API skew_deviations
{
public:
    //! Cells in which something was found do not count. Nothing happens where the deviations
    //! are not skew.
    void make_normal(flag_plane& plane);
    //! The b of the last plane; 0: it was not skew.
    double skewness() const { return d_skewness; }

private:
    double measure(const flag_plane& plane);

    std::vector<float> d_cells;
    double d_skewness = 0;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_SKEWNESS_H */
