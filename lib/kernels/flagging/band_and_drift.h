/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_BAND_AND_DRIFT_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_BAND_AND_DRIFT_H

#include "kernels/flagging/plane.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * What is steady in a plane: the receiver's band, and what drifts in time,
 *
 *     x(t, c) = B(c) + A(t) + the rest
 *
 * B: running median, 15 channels wide, of the medians of each channel over time; and once
 * more of what that leaves, 11 wide, which follows a curved band. A: the same of the
 * dumps' medians, half as long as the plane. So an interferer that is always there stands
 * out where it is narrower than 5 channels, and a burst over the whole band where it is
 * shorter than a quarter of the window. Towards the edges of the band the running medians
 * become narrower.
 */
class FRINGE_API band_and_drift
{
public:
    //! Takes both out of the values. Cells in which something was found do not count.
    void take_out(flag_plane& plane);
    //! B + the median of A, of each channel.
    const std::vector<float>& level() const { return d_band; }

    //! The band as B follows it, in place of the level of each channel; NaN: none.
    void follow_band(std::vector<float>& level);

private:
    void smooth(std::vector<float>& line, std::size_t half, bool symmetrical);
    void medians_of_channels(const flag_plane& plane);
    void medians_of_dumps(const flag_plane& plane);

    std::vector<float> d_band, d_drift, d_rest, d_raw, d_cells;
};

//! The median of some values, which are put into another order; of none, 0.
float median_of(std::vector<float>& values);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_BAND_AND_DRIFT_H */
