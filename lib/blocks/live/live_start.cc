/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/live_start.h"
#include <chrono>
#include <stdexcept>

namespace gr::fringe {

const char* const dated_by_clock =
    "the data have no time of their own; the first sample is dated by the clock of the "
    "computer that received it";

epoch clock_time()
{
    const auto t = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t).count();
    return epoch().plus_samples(ns, 1e9);
}

std::optional<epoch> live_start(const std::string& start_time)
{
    if (start_time.empty() || start_time == "now") {
        return std::nullopt;
    }
    try {
        return epoch::from_iso(start_time);
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string(e.what()) + ", or \"now\"");
    }
}

} // namespace gr::fringe
