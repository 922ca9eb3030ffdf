/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/shared_decisions.h"
#include <algorithm>
#include <stdexcept>

namespace gr::fringe {

void write_fractions(const std::vector<std::uint8_t>& causes,
                     std::size_t inputs,
                     float* out)
{
    for (auto first = causes.begin(); first != causes.end(); ++out) {
        const auto end = first + static_cast<std::ptrdiff_t>(inputs);
        const auto flagged = end - first - std::count(first, end, 0);
        *out = static_cast<float>(flagged) / static_cast<float>(inputs);
        first = end;
    }
}

shared_decisions::shared_decisions(const kernels::detector_params& p,
                                   double period,
                                   const std::vector<std::size_t>& channels)
    : d_decisions(p, period)
{
    for (const std::size_t some : channels) {
        d_parts.push_back({d_cells, some * p.inputs});
        d_cells += some * p.inputs;
    }
}

// The first part that begins again after all have ended forgets what they left.
void shared_decisions::enter(std::size_t)
{
    gr::thread::scoped_lock lock(d_mutex);
    if (std::all_of(
            d_parts.begin(), d_parts.end(), [](const place& p) { return p.left; })) {
        d_windows.clear();
        for (place& p : d_parts) {
            p.next = 0;
            p.left = false;
        }
    }
}

void shared_decisions::leave(std::size_t part)
{
    gr::thread::scoped_lock lock(d_mutex);
    d_parts[part].left = true;
    d_changed.notify_all();
}

// Whether a part that has not brought a window never will.
bool shared_decisions::any_left(std::uint64_t window) const
{
    return std::any_of(d_parts.begin(), d_parts.end(), [&](const place& p) {
        return p.left && p.next <= window;
    });
}

const std::vector<std::uint8_t>& shared_decisions::decide(std::size_t part,
                                                          const float* s1,
                                                          const float* s2,
                                                          const counted_spectra& count,
                                                          const epoch& start,
                                                          double rate)
{
    gr::thread::scoped_lock lock(d_mutex);
    if (d_parts.size() == 1) {
        return d_decisions.decide(s1, s2, count, start, rate);
    }
    place& own = d_parts[part];
    const std::uint64_t number = own.next++;
    window& w = d_windows[number];
    w.s1.resize(d_cells);
    w.s2.resize(d_cells);
    std::copy_n(s1, own.cells, w.s1.begin() + static_cast<std::ptrdiff_t>(own.first));
    std::copy_n(s2, own.cells, w.s2.begin() + static_cast<std::ptrdiff_t>(own.first));
    if (++w.brought == d_parts.size()) {
        w.causes = d_decisions.decide(w.s1.data(), w.s2.data(), count, start, rate);
        d_changed.notify_all();
    }
    while (w.causes.empty()) {
        if (any_left(number)) {
            throw std::runtime_error(
                "the search for interference has ended on another GPU");
        }
        d_changed.wait(lock); // GNU Radio may interrupt the thread here
    }
    const auto first = w.causes.begin() + static_cast<std::ptrdiff_t>(own.first);
    own.causes.assign(first, first + static_cast<std::ptrdiff_t>(own.cells));
    if (++w.taken == d_parts.size()) {
        d_windows.erase(number);
    }
    return own.causes;
}

pmt::pmt_t shared_decisions::message(std::size_t part, bool at_the_end)
{
    gr::thread::scoped_lock lock(d_mutex);
    return part == 0 ? d_decisions.message(at_the_end) : nullptr;
}

} // namespace gr::fringe
