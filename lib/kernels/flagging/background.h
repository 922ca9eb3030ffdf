/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_BACKGROUND_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_BACKGROUND_H

#include "kernels/flagging/band_and_drift.h"
#include "kernels/flagging/quantiles.h"
#include "kernels/flagging/skewness.h"
#include "kernels/flagging/smooth.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

//! What a plane's values are, and so how its noise is distributed.
enum class plane_noise {
    rice,   //!< |V|^(2/3) of a cross-correlation
    normal, //!< the cube root of a power (many samples)
    sum     //!< over baselines, which may be skew
};

/*!
 * The local background: the receiver's band and a drift in time (band_and_drift) are taken
 * out, then what is smooth S (smooth_surface, no cell counting for more than three times the
 * spread), and what is left is divided by its own spread, 1.4826 MAD over all dumps of the
 * window and a stretch of channels that slides along the band,
 *
 *     z(t, c) = (x - B(c) - A(t) - S(t, c)) / s(c)
 *
 * s is measured every half stretch and runs straight between. Deviations of a sum are made
 * normal (skew_deviations). Up to a quarter of a window
 * may be interference without doing much harm, up to half of it without breaking.
 */
class FRINGE_API local_background
{
public:
    //! window: channels; at most half the band of a plane is taken, but 16.
    //! rate: probability that noise exceeds threshold(); rice: for that rate, kept by
    //! the caller.
    local_background(std::size_t window, double rate, const rice_thresholds& rice);

    //! Turns the values into deviations, times their trust. Where something was found it
    //! is no background. False when there is too little to measure.
    bool take_out(flag_plane& plane, plane_noise noise);
    //! Deviation that noise in channel c of that plane exceeds with the asked probability.
    double threshold(std::size_t c) const { return d_threshold[c]; }
    //! The level of that plane, in units of its spread.
    double ratio() const { return d_ratio; }

private:
    struct node {
        double center, level = 0, spread = 0;
        std::size_t first, end, cells = 0; // channels first ... end - 1
    };
    void place_nodes(std::size_t channels);
    void measure(const flag_plane& plane);
    void interpolate(std::size_t channels, plane_noise noise);

    const std::size_t d_window;
    const double d_normal;
    const rice_thresholds& d_rice;
    std::vector<node> d_nodes;
    void take_out_smooth(flag_plane& plane);

    band_and_drift d_steady;
    smooth_surface d_smooth{smooth_dumps, smooth_channels, true};
    skew_deviations d_skew;
    aligned_vector<float> d_surface;
    std::vector<float> d_cells, d_spread;
    std::vector<double> d_threshold;
    double d_ratio = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_BACKGROUND_H */
