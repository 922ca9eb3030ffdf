/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_SMOOTH_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_SMOOTH_H

#include "kernels/flagging/plane.h"
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

//! Half the box that planes are searched with: wide against what is to be found in it.
constexpr std::size_t smooth_dumps = 10, smooth_channels = 15;

/*!
 * The smooth part of a plane: the mean over a box of 2 dumps + 1 by 2 channels + 1 cells
 * around each, of those that are used and in which nothing was found; 0 where there are
 * none. Boxes end at the plane's edges.
 *
 * With follow, the first and last dumps, where a box of which half is missing lags behind a
 * drift, have a straight line in time, fitted to the outermost 2 dumps + 1: how sources beat
 * changes much within a window. Interference in the middle of these tilts the line.
 */
class FRINGE_API smooth_surface
{
public:
    smooth_surface(std::size_t dumps, std::size_t channels, bool follow)
        : d_dumps(dumps), d_channels(channels), d_follow(follow)
    {
    }
    //! smooth: as large as the plane. Values count for at most +-most.
    void fit(const flag_plane& plane, float maximum, aligned_vector<float>& smooth);

private:
    void fit_line(const flag_plane& plane, bool last, aligned_vector<float>& smooth);

    const std::size_t d_dumps, d_channels; // half the box
    const bool d_follow;
    aligned_vector<float> d_sums, d_counts, d_column_sums, d_column_counts;
    aligned_vector<float> d_moments; // sums of count u, count u^2, value u
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_SMOOTH_H */
