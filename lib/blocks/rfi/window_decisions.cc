/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/window_decisions.h"

namespace gr::fringe {

window_decisions::window_decisions(const kernels::detector_params& p, double period)
    : d_period(period), d_detector(p), d_occupancy(p.inputs, p.channels)
{
}

const std::vector<std::uint8_t>& window_decisions::decide(const float* s1,
                                                          const float* s2,
                                                          const counted_spectra& window,
                                                          const epoch& start,
                                                          double rate)
{
    const auto& causes = d_detector.detect(s1, s2, window.valid);
    d_occupancy.add(causes, window.valid, window.spectra);
    d_unreported = d_unreported.value_or(start);
    d_rate = rate;
    return causes;
}

pmt::pmt_t window_decisions::message(bool at_the_end)
{
    const double seconds = static_cast<double>(d_occupancy.new_spectra()) / d_rate;
    if (seconds <= 0 || (!at_the_end && seconds < d_period)) {
        return nullptr;
    }
    const epoch start = *d_unreported;
    d_unreported.reset();
    return d_occupancy.message(start, seconds);
}

} // namespace gr::fringe
