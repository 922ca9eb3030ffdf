/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_BAND_BURSTS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_BAND_BURSTS_H

#include "kernels/kurtosis/running_median.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Bursts over the whole band: the power of each input over the band, and the mean of those of
 * all inputs in units of their medians, above the median of up to 32 earlier windows by a
 * number of standard deviations, 1.4826 MAD of those windows.
 *
 * A false alarm costs the whole band of an input, so it is ten times as rare as asked. The
 * scatter is much less than that of a single channel, and real bursts stand out far.
 */
class FRINGE_API band_bursts
{
public:
    //! Earlier windows that power is compared with at the least.
    static constexpr std::size_t min_history = 8;

    //! bad_input: [input], not in the mean; or empty.
    band_bursts(std::size_t inputs,
                double false_alarm,
                const std::vector<char>& bad_input);

    //! A window: mean power over the band and the part of the spectra that were valid, both
    //! [input]; with less than half of them an input gets no decision. Returns [input + 1], 1
    //! where there is a burst; the last is that of all inputs together.
    const std::vector<char>& find(const std::vector<double>& power,
                                  const std::vector<double>& valid);

private:
    double spread_of(std::size_t input);

    const std::size_t d_inputs;
    const double d_false_alarm;
    const std::vector<char> d_bad_input;
    running_median d_history;
    std::vector<float> d_now, d_medians, d_values;
    std::vector<char> d_found;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_BAND_BURSTS_H */
