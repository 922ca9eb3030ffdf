/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/dump_plan.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace gr::fringe {

namespace {

constexpr double shortest = 1 - 1e-6; // spectra of a dump, but for rounding

std::string below_one_spectrum(double seconds, double rate)
{
    std::ostringstream s;
    s << seconds << " s: a spectrum takes " << 1 / rate
      << " s: dumps must be as long as that, or longer";
    return s.str();
}

} // namespace

dump_plan::dump_plan(std::size_t baselines, double seconds, std::uint64_t spectra)
    : d_clock(seconds, spectra)
{
    d_dump.valid.resize(baselines);
}

void dump_plan::check_length(double seconds, std::uint64_t spectra) const
{
    array::dump_clock(seconds, spectra);
    if (seconds > 0 && d_time.started() && seconds * d_time.rate() < shortest) {
        throw std::invalid_argument("seconds: " +
                                    below_one_spectrum(seconds, d_time.rate()));
    }
}

void dump_plan::set_length(double seconds,
                           std::uint64_t spectra,
                           const std::optional<epoch>& from)
{
    check_length(seconds, spectra);
    d_new = length{seconds, spectra, from};
}

std::uint64_t dump_plan::begin_sum(const std::optional<array::beginning>& start,
                                   std::uint64_t spectra)
{
    d_sum_first = start ? d_time.begin(start->time, start->rate, d_next) : d_next;
    d_sum_spectra = spectra;
    d_left_out = d_dropped = 0;
    d_stopped = false;
    d_break = d_break || (start && d_time.is_new_axis());
    return d_sum_first - d_next;
}

bool dump_plan::is_last_sum(const epoch& start, std::uint64_t spectra) const
{
    return d_time.started() && spectra == d_sum_spectra &&
           std::abs(start.seconds_since(d_time.at(d_sum_first))) * d_time.rate() < 0.5;
}

void dump_plan::open(std::int64_t index, std::uint64_t first)
{
    d_open = true;
    d_counted = true;
    d_index = index;
    d_dump.first = first;
    d_dump.start = d_time.started() ? d_time.at(first) : epoch();
    d_dump.rate = d_time.rate();
    d_dump.received = 0;
    std::fill(d_dump.valid.begin(), d_dump.valid.end(), 0);
}

void dump_plan::close(std::uint64_t end)
{
    d_open = false;
    d_dump.expected = std::max(end - d_dump.first, d_dump.received);
}

bool dump_plan::new_length_counts() const
{
    return d_new &&
           (!d_new->from || !d_time.started() ||
            d_time.at(d_sum_first).seconds_since(*d_new->from) * d_time.rate() > -0.5);
}

bool dump_plan::begin_length()
{
    if (d_sum_spectra == 0 || !new_length_counts()) {
        return true;
    }
    if (d_open) {
        close(d_next);
        return false;
    }
    d_clock.set_length(d_new->seconds, d_new->spectra, d_sum_first);
    d_new.reset();
    d_counted = false;
    return true;
}

// Dumps cannot be as long as they should be when there is no rate to count spectra by, or
// when a sum begins in one dump and ends in another (by more than a spectrum, which is
// rounding).
std::string dump_plan::why_unfit(bool cut_for_dumps) const
{
    if (d_sum_spectra == 0) {
        return "";
    }
    const std::string seconds = std::to_string(d_clock.seconds()) + " s";
    if (d_clock.seconds() > 0 && !d_time.started()) {
        return seconds +
               ": the sums carry no rx_rate, so nobody knows how many spectra that is: "
               "give the source a sample rate, or the integration in spectra";
    }
    if (d_clock.seconds() > 0 && d_clock.seconds() * d_time.rate() < shortest) {
        return below_one_spectrum(d_clock.seconds(), d_time.rate());
    }
    if (cut_for_dumps || d_sum_spectra < 3 ||
        d_clock.index(d_time, d_sum_first + 1) ==
            d_clock.index(d_time, d_sum_first + d_sum_spectra - 2)) {
        return "";
    }
    const double lasts = static_cast<double>(d_sum_spectra) / d_time.rate();
    return (d_clock.seconds() > 0 ? seconds
                                  : std::to_string(d_clock.spectra()) + " spectra") +
           ": a sum of " + std::to_string(d_sum_spectra) + " spectra" +
           (d_time.started() ? " (" + std::to_string(lasts) + " s)" : "") +
           " reaches beyond the end of a dump: give the X-engine the same integration";
}

bool dump_plan::begin_dump()
{
    if (d_sum_spectra == 0) { // it belongs to no dump
        return true;
    }
    const std::int64_t index = d_clock.index(d_time, d_sum_first + d_sum_spectra / 2);
    const bool gap = d_sum_first > d_next;
    if (d_stopped && (d_break || index > d_index + 1)) {
        d_dropped = d_open ? d_dump.received : 0;
        d_open = false;
        d_break = true;
    }
    if (d_break) {
        if (d_open) {
            close(d_next);
            return false;
        }
        d_break = d_counted = false;
        d_left_out = d_sum_first - d_next;
    }
    if (!d_open) {
        const bool lost_before = gap && d_counted && index > d_index;
        const std::int64_t swallowed = lost_before ? index - d_index - 1 : 0;
        if (swallowed > longest_gap) {
            d_left_out =
                d_clock.first(d_time, index) - d_clock.first(d_time, d_index + 1);
        } else if (swallowed > 0) {
            open(d_index + 1, d_clock.first(d_time, d_index + 1));
            close(d_clock.first(d_time, d_index + 1));
            return false;
        }
        open(index,
             lost_before ? std::max(d_next, d_clock.first(d_time, index)) : d_sum_first);
    } else if (index != d_index) {
        const std::uint64_t boundary =
            index > d_index ? d_clock.first(d_time, d_index + 1) : d_next;
        close(gap ? std::min(std::max(boundary, d_next), d_sum_first) : d_sum_first);
        return false;
    }
    return true;
}

void dump_plan::add_sum(const std::vector<std::uint64_t>& valid)
{
    if (d_sum_spectra == 0) {
        return;
    }
    d_dump.received += d_sum_spectra;
    for (std::size_t b = 0; b < d_dump.valid.size(); ++b) {
        d_dump.valid[b] += valid.size() == d_dump.valid.size()
                               ? valid[b]
                               : d_sum_spectra * spectrum_parts;
    }
    d_next = d_sum_first + d_sum_spectra;
}

bool dump_plan::finish_full_dump()
{
    const bool full = d_open && !d_new && d_next >= d_clock.first(d_time, d_index + 1);
    if (full) {
        close(d_next);
    }
    return full;
}

bool dump_plan::finish_last_dump()
{
    const bool was_open = d_open;
    if (was_open) {
        close(d_next);
    }
    return was_open;
}

void dump_plan::finish_empty_dump()
{
    open(d_index, d_next);
    close(d_next);
}

} // namespace gr::fringe
