/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_SLOPE_FACTORS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_SLOPE_FACTORS_H

#include "kernels/base/aligned.h"
#include "kernels/channelizer/rows.h"
#include "kernels/channelizer/steer.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

/*!
 * Corrections c and the slope that a delay leaves over the band, in one factor a channel.
 * From spectrum to spectrum the phase of the band's middle m turns quickly and the slope
 * hardly changes, so the factors of one slope a serve for those near it:
 *
 *     f_k = c_k exp(2 pi i slope (k - m)) = e_k + (slope - a) g_k,
 *     e_k = c_k exp(2 pi i a (k - m)),  g_k = 2 pi i (k - m) e_k
 *
 * What this leaves out is the square of the phase between them at the band's edges, 2e-7 at
 * the most; then the factors are made anew.
 */
class slope_factors
{
public:
    explicit slope_factors(std::size_t channels)
        : d_middle(static_cast<double>(channels) / 2),
          d_e(2 * channels),
          d_g(2 * channels)
    {
    }

    //! The corrections are others now.
    void forget() { d_known = false; }

    //! True when the factors serve for all of these spectra; some are made for the first
    //! where they do not for that. corrections [channel], complex, may be null for 1.
    bool serve(const float* corrections, const steered* spectra, std::size_t count)
    {
        if (!d_known || !near(spectra[0].slope)) {
            make(corrections, spectra[0].slope);
        }
        return std::all_of(
            spectra, spectra + count, [this](const steered& s) { return near(s.slope); });
    }

    row_factors factors() const { return {d_e.data(), d_g.data()}; }

    //! What a spectrum is multiplied by beside them.
    row_turn turn(const steered& spectrum) const
    {
        return {spectrum.turns + spectrum.slope * d_middle,
                static_cast<float>(spectrum.slope - d_slope)};
    }

private:
    bool near(double slope) const
    {
        constexpr double turns = 1e-4; // (2 pi 1e-4)^2 / 2 = 2e-7
        return std::abs(slope - d_slope) * d_middle <= turns;
    }

    void make(const float* corrections, double slope)
    {
        const std::size_t channels = d_e.size() / 2;
        for (std::size_t k = 0; k < channels; k++) {
            d_e[2 * k] = corrections ? corrections[2 * k] : 1;
            d_e[2 * k + 1] = corrections ? corrections[2 * k + 1] : 0;
        }
        turn_row(-slope * d_middle, slope, channels, d_e.data());
        for (std::size_t k = 0; k < channels; k++) {
            const auto angle =
                static_cast<float>(2 * M_PI * (static_cast<double>(k) - d_middle));
            d_g[2 * k] = -angle * d_e[2 * k + 1];
            d_g[2 * k + 1] = angle * d_e[2 * k];
        }
        d_slope = slope;
        d_known = true;
    }

    const double d_middle;
    aligned_vector<float> d_e, d_g;
    double d_slope = 0;
    bool d_known = false;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_SLOPE_FACTORS_H */
