/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SAMPLE_OFFSET_H
#define INCLUDED_FRINGE_IO_SAMPLE_OFFSET_H

#include <gnuradio/fringe/epoch.h>

namespace gr::fringe::io {

//! From an instant to another, in samples: a whole number, and what that lacks.
struct sample_offset {
    std::int64_t samples = 0;
    double rest = 0;
};

constexpr std::int64_t max_samples_between = std::int64_t(1) << 60;

//! From a to b. Exact, however far apart they are; more than max_samples_between is that.
FRINGE_API sample_offset samples_between(const epoch& a, const epoch& b, double rate);

//! What the time `t` of a clock that starts again every `repeats` seconds means, if it was
//! read near another instant; repeats = 0: t itself.
FRINGE_API epoch nearest_instant(epoch t, std::uint64_t repeats, const epoch& near);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SAMPLE_OFFSET_H */
