/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SUM_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SUM_H

#include "kernels/flagging/plane.h"
#include "kernels/flagging/power_score.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The power of a station, or of the array: what the deviations of its baselines from their
 * own backgrounds say about it (power_score), added up, in units of what noise makes of it,
 *
 *     y(t, c) = sum g_b(z_b(t, c)) / sqrt(number of baselines that count)
 *
 * and made normal, as sums of few g are skew: with gamma the skewness of y,
 *
 *     p = 6 / gamma ((1 + gamma y / 2)^(1/3) - 1) + gamma / 6
 *
 * (Wilson and Hilferty 1931). What all baselines see stands out by the root of their number
 * more than in one of them. No baseline counts for more than 3 standard deviations: what
 * only one sees is its own. Sums are of integers, so they do not depend on the order of the
 * threads.
 */
class FRINGE_API power_sum
{
public:
    void clear(std::size_t cells);
    void add(const flag_plane& baseline, const power_score& score);
    void add(const power_sum& other);
    //! Takes a station's baselines out of the cells in which something was found in it. A
    //! baseline of two such stations is taken out twice, so that less is left.
    void remove(const power_sum& station, const flag_plane& found_in);
    //! The sum as a plane to be searched; cells without any baseline do not count.
    void to_plane(flag_plane& plane) const;

private:
    std::vector<std::int32_t> d_sum, d_count;
    std::int64_t d_skewness = 0, d_baselines = 0; // skewness: the sum of theirs
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_POWER_SUM_H */
