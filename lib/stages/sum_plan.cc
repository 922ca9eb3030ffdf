/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/sum_plan.h"
#include <algorithm>

namespace gr::fringe {

std::optional<epoch>
sum_plan::cut_for(long integrator, double seconds, std::uint64_t spectra)
{
    if (d_cuts.set(integrator, seconds, spectra, d_next)) {
        d_sum_end = d_next; // the sum under way ends here
    }
    return next_time();
}

bool sum_plan::begin_item(const std::optional<array::beginning>& start,
                          std::uint64_t spectra)
{
    d_in_item = true;
    d_item_spectra = spectra;
    d_item_done = 0;
    const std::uint64_t expected = d_next;
    if (start) {
        d_next = d_time.begin(start->time, start->rate, expected);
    }
    return d_next != expected || (start && d_time.is_new_axis());
}

sum_plan::part sum_plan::next(bool empty)
{
    if (empty) {
        d_sum_end = d_cuts.end(d_time, d_next, d_longest);
    }
    part p;
    p.first = d_item_done;
    p.count = std::min(d_item_spectra - d_item_done,
                       d_sum_end > d_next ? d_sum_end - d_next : 0);
    d_item_done += p.count;
    d_next += p.count;
    p.ends_sum = d_next >= d_sum_end;
    d_in_item = d_item_done < d_item_spectra;
    return p;
}

std::optional<epoch> sum_plan::next_time() const
{
    return d_time.started() ? std::optional<epoch>(d_time.at(d_next)) : std::nullopt;
}

} // namespace gr::fringe
