/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sample_offset.h"
#include <cmath>

namespace gr::fringe::io {

sample_offset samples_between(const epoch& a, const epoch& b, double rate)
{
    if (b < a) {
        const sample_offset back = samples_between(b, a, rate);
        return {-back.samples, -back.rest};
    }
    const double about = b.seconds_since(a) * rate;
    if (!(about < static_cast<double>(max_samples_between)))
        return {max_samples_between, 0};
    sample_offset n{std::llround(about), 0};
    // A double of many digits is some samples off; what is left is small, and exact.
    for (int k = 0; k < 2; ++k) {
        n.rest = b.seconds_since(a.plus_samples(n.samples, rate)) * rate;
        const auto more = std::llround(n.rest);
        n.samples += more;
        n.rest -= static_cast<double>(more);
    }
    return n;
}

epoch nearest_instant(epoch t, std::uint64_t repeats, const epoch& near)
{
    if (repeats > 0) {
        const std::uint64_t base = near.seconds / repeats * repeats;
        t.seconds = base + t.seconds % repeats;
        if (t.seconds > near.seconds + repeats / 2 && t.seconds >= repeats)
            t.seconds -= repeats;
        else if (t.seconds + repeats / 2 < near.seconds)
            t.seconds += repeats;
    }
    return t;
}

} // namespace gr::fringe::io
