/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/planned_corrections.h"

namespace gr::fringe {

void planned_corrections::plan(change c)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    while (!d_changes.empty() && d_changes.back().from.seconds_since(c.from) >= 0) {
        d_changes.pop_back();
    }
    d_changes.push_back(std::move(c));
}

std::optional<epoch> planned_corrections::next() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_changes.empty() ? std::nullopt : std::make_optional(d_changes.front().from);
}

planned_corrections::change planned_corrections::take()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    change taken = std::move(d_changes.front());
    d_changes.pop_front();
    return taken;
}

} // namespace gr::fringe
