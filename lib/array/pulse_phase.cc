/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/polyco.h"
#include <cmath>
#include <gnuradio/fringe/pulse_phase.h>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace gr::fringe {

pulse_phase pulse_phase::from_period(double period,
                                     const epoch& zero,
                                     double derivative,
                                     double phase)
{
    if (!(period > 0) || !std::isfinite(period)) {
        std::ostringstream s;
        s << "pulse_phase: period: " << period << " s: must be positive";
        throw std::invalid_argument(s.str());
    }
    if (!std::isfinite(derivative) || !std::isfinite(phase)) {
        throw std::invalid_argument(
            "pulse_phase: derivative, phase: must be finite numbers");
    }
    pulse_phase p;
    p.d_period = period;
    p.d_zero = zero;
    p.d_derivative = derivative;
    p.d_phase = phase;
    return p;
}

pulse_phase pulse_phase::from_polyco(const std::string& path, const std::string& pulsar)
{
    pulse_phase p;
    p.d_polyco = std::make_shared<const array::polyco>(path, pulsar);
    return p;
}

pulse_phase::turns pulse_phase::at(const epoch& t) const
{
    long double all = 0;
    if (d_polyco) {
        all = d_polyco->turns(t);
    } else {
        const long double n = array::seconds_between(t, d_zero) / d_period;
        all = d_phase + n - d_derivative * n * n / 2;
    }
    if (!(std::abs(all) < array::maximum_turns)) {
        std::ostringstream s;
        s << "pulse_phase: " << all << " turns at " << t.iso(0)
          << ": must be fewer than 1e16; give a time zero that is nearer";
        throw std::runtime_error(s.str());
    }
    const long double whole = std::floor(all);
    turns there;
    there.whole = static_cast<std::int64_t>(whole);
    there.fraction = std::min(static_cast<double>(all - whole),
                              1 - std::numeric_limits<double>::epsilon());
    return there;
}

double pulse_phase::frequency() const { return d_polyco ? d_polyco->frequency() : 0; }

double pulse_phase::dispersion() const { return d_polyco ? d_polyco->dispersion() : 0; }

} // namespace gr::fringe
