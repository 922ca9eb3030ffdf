/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_WORKER_RANGES_H
#define INCLUDED_FRINGE_KERNELS_WORKER_RANGES_H

#include "kernels/base/workers.h"
#include <algorithm>

namespace gr::fringe::kernels {

//! Calls range(first, many) for pieces of 0 ... count - 1, of whole `unit`s but for the last
//! one. Unless `large` they are one piece, on the caller's thread.
template <class Range>
void run_ranges(
    workers& threads, bool large, std::size_t count, std::size_t unit, const Range& range)
{
    if (!large) {
        range(0, count);
        return;
    }
    const std::size_t units = (count + unit - 1) / unit;
    const std::size_t pieces = std::min<std::size_t>(units, 4 * threads.slots());
    threads.run(pieces, [&](std::size_t k, unsigned) {
        const std::size_t first = k * units / pieces * unit;
        const std::size_t end = std::min((k + 1) * units / pieces * unit, count);
        range(first, end - first);
    });
}

/*!
 * Calls add(first channel, channels, slot) for all channels, on several threads at once:
 * some parts for each worker, none so small (`cost`: multiplications of a channel) that
 * it is done faster than a worker wakes up.
 */
template <class F>
void share_channels(workers& all, std::size_t channels, std::size_t cost, const F& add)
{
    constexpr std::size_t min_cost = 1 << 19;
    const std::size_t wanted = all.slots() == 1 ? 1 : 4 * all.slots();
    const std::size_t part =
        std::max({channels / wanted, min_cost / (cost + 1), std::size_t(1)});
    all.run((channels + part - 1) / part, [&](std::size_t k, unsigned slot) {
        add(k * part, std::min(part, channels - k * part), slot);
    });
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_WORKER_RANGES_H */
