/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/held_dumps.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe {

held_dump& held_dumps::next()
{
    if (!d_next) {
        if (d_dumps.size() == d_window && d_new < d_window) {
            d_next = std::move(d_dumps.front());
            d_dumps.pop_front();
        } else {
            d_next = std::make_unique<held_dump>();
        }
    }
    return *d_next;
}

void held_dumps::add()
{
    d_dumps.push_back(std::move(d_next));
    ++d_new;
}

bool held_dumps::gap_before_next() const
{
    if (d_dumps.empty()) {
        return false;
    }
    const held_dump& last = *d_dumps.back();
    const double longer = std::max(last.interval, d_next->interval);
    return std::abs(d_next->start.seconds_since(last.start) - last.interval) >
               0.5 * longer + 1e-9 ||
           d_next->freq != last.freq;
}

void held_dumps::begin_anew() { d_dumps.clear(); }

kernels::rfi_window held_dumps::window()
{
    kernels::rfi_window w;
    for (const auto& d : d_dumps) {
        w.visibilities.push_back(d->visibilities.data());
        w.weights.push_back(d->weights.data());
        w.flags.push_back(d->flags.data());
        w.seconds.push_back(d->interval);
    }
    w.first_new = d_dumps.size() - d_new;
    return w;
}

} // namespace gr::fringe
