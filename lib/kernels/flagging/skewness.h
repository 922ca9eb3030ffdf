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

namespace gr::fringe::kernels {

/*!
 * Makes the deviations z of a plane (median 0, 1.4826 MAD = 1) normal, which are skew.
 *
 * A sum over baselines is: the power of a source fluctuates in all of them together, and they
 * count its square, so that the upper tail is long however many baselines there are. Such a
 * variable is next to x = (exp(g n) - 1) / g with a normal n (Johnson 1949), so
 *
 *     z' = log(1 + s z) / g,    s = 1.4826 sinh(q g),    q = 0.6745
 *
 * How skew it is, g, follows from the lengths of the two tails that hold a tenth of the cells
 * each, g = log(upper / lower) / 1.2816, between 0 and 0.35: interference is in fewer cells, or
 * was found before.
 */
class FRINGE_API skew_deviations
{
public:
    //! Cells in which something was found do not count. Nothing happens where the deviations
    //! are not skew.
    void make_normal(flag_plane& plane);
    //! The g of the last plane; 0: it was not skew.
    double skewness() const { return d_skewness; }

private:
    double measure(const flag_plane& plane);

    std::vector<float> d_cells;
    double d_skewness = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_SKEWNESS_H */
