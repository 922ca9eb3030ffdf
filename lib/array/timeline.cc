/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/timeline.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::array {

namespace {

// Half a step goes down, also where rounding errors are in it: every block that counts the same stream
// counts the same steps, whatever the times went through. Fractions of a step are at least
// 1/65536, and errors are a billionth.
constexpr double tie = 1e-6;

std::uint64_t whole_steps(double steps)
{
    return steps > 0
               ? static_cast<std::uint64_t>(std::llround(std::max(steps - tie, 0.0)))
               : 0;
}

} // namespace

std::uint64_t timeline::begin(const epoch& start, double rate, std::uint64_t next)
{
    d_new_axis = false;
    if (!started()) {
        d_base_n = next;
    } else {
        const double steps = start.seconds_since(at(next)) * d_rate;
        d_new_axis = steps < -0.5 - tie || rate != d_rate;
        d_base_n = next + whole_steps(steps);
    }
    d_base = start;
    d_rate = rate;
    return d_base_n;
}

bool timeline::continues(const epoch& start, double rate, std::uint64_t next) const
{
    timeline after = *this;
    return after.begin(start, rate, next) == next && !after.is_new_axis();
}

epoch timeline::at(std::uint64_t n) const
{
    return d_base.plus_samples(static_cast<std::int64_t>(n - d_base_n), d_rate);
}

epoch timeline::middle(std::uint64_t n) const
{
    return d_base.plus_half_samples(2 * static_cast<std::int64_t>(n - d_base_n) + 1,
                                    d_rate);
}

} // namespace gr::fringe::array
