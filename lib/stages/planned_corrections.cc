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
    d_change = std::move(c);
}

std::optional<epoch> planned_corrections::next() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_change ? std::make_optional(d_change->from) : std::nullopt;
}

planned_corrections::change planned_corrections::take()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    change taken = std::move(*d_change);
    d_change.reset();
    return taken;
}

} // namespace gr::fringe
