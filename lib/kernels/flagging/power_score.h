/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SCORE_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SCORE_H

#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * How much a deviation z speaks for a weak signal: g(z) = offset + linear z + square z^2,
 * at most 3. Of noise, g has mean 0, variance 1 and this skewness.
 */
struct power_score {
    float offset = 0, linear = 1, square = 0;
    float skewness = 0;

    //! Standard deviations for which one baseline counts at most.
    static constexpr float maximum = 3;
};

/*!
 * The best g for the deviations of |V|^(2/3).
 *
 * A weak signal of unknown phase adds to a visibility like a little more noise, whatever
 * steady source is in it. The locally most powerful test for it sums the derivatives of the
 * log likelihood by the noise power (the score of the Rice distribution): z^2 beside
 * a strong source, where such a signal moves |V| to both sides and not on the mean, and
 * nearly z without any. The polynomial of second order that is closest to the score has 93
 * to 98 % of its signal to noise, clipped; z alone 92 % without a source and 20 % with one of
 * 3 sigma. The ratio of level and spread says which g it is, as with rice_thresholds.
 *
 * C.R. Rao, Proc. Camb. Phil. Soc. 44, 50 (1948).
 */
class FRINGE_API power_scores
{
public:
    power_scores();
    //! For planes with this ratio of their level to their spread.
    power_score of(double ratio) const;

private:
    std::vector<double> d_ratio; // ascending
    std::vector<power_score> d_score;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SCORE_H */
