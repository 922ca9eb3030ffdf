/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/stacked_block.h"
#include "blocks/live/live_start.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe {

stacked_block::stacked_block(std::size_t inputs,
                             std::size_t samples,
                             std::size_t sample_bytes,
                             const stack_axis& axis,
                             double center_frequency)
    : d_block(samples),
      d_sample_bytes(sample_bytes),
      d_freq(center_frequency),
      d_axis(axis),
      d_rows(inputs * samples * sample_bytes),
      d_end(samples)
{
    for (std::size_t i = 0; i < inputs; ++i) {
        d_inputs.emplace_back(i, sample_bytes, samples, inputs == 1);
    }
}

// When the first sample came: the stream that came first has been waiting for the others.
epoch stacked_block::first_by_clock(const arrivals& from) const
{
    std::size_t waiting = 0;
    for (const auto& a : from) {
        waiting = std::max(waiting, a.count);
    }
    return clock_time().plus_samples(-static_cast<std::int64_t>(waiting), d_axis.rate);
}

void stacked_block::restart()
{
    if (!d_began && !d_goes_on) {
        return;
    }
    for (stacked_input& input : d_inputs) {
        input.restart();
    }
    d_new_time = d_goes_on = true;
    // Streams without times are simultaneous, so each waits for all of them.
    d_began = d_axis.dated || !d_axis.by_clock;
}

// Dated by the clock, as they were at the start.
void stacked_block::go_on(const arrivals& from)
{
    auto place = std::llround(d_axis.place(first_by_clock(from)));
    for (const stacked_input& input : d_inputs) {
        place = std::max<long long>(place, input.next());
    }
    for (stacked_input& input : d_inputs) {
        input.go_on_at(place);
    }
    d_began = true;
}

bool stacked_block::begin(arrivals& from)
{
    for (const auto& a : from) {
        if (a.count == 0) {
            d_ended = d_ended || a.last;
            return false;
        }
    }
    if (d_goes_on) {
        go_on(from);
        return true;
    }
    std::vector<item_tags> first;
    for (auto& a : from) {
        first.push_back(a.next_tags());
        const item_tags& tags = first.back();
        d_axis.rate = d_axis.rate > 0 ? d_axis.rate : tags.rx_rate.value_or(0);
        d_freq = d_freq != 0 ? d_freq : tags.rx_freq.value_or(0);
        if (tags.rx_time && (!d_axis.dated || d_axis.start < *tags.rx_time)) {
            d_axis.start = *tags.rx_time;
            d_axis.dated = true;
        }
    }
    if (!(d_axis.rate > 0)) {
        throw unstackable("stack: sample_rate: 0: no stream carries rx_rate, so give the "
                          "rate in Hz");
    }
    if (!d_axis.dated && d_axis.by_clock) {
        d_axis.start = first_by_clock(from);
    }
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        d_inputs[i].begin(first[i], d_axis);
    }
    d_began = true;
    return true;
}

// Time that no input has samples of is left out, by a new rx_time.
void stacked_block::skip_common_gap()
{
    std::int64_t next = d_inputs[0].next();
    for (const stacked_input& input : d_inputs) {
        next = std::min(next, input.next());
    }
    if (next > d_place) {
        d_skipped += static_cast<std::uint64_t>(next - d_place);
        d_place = next;
        d_new_time = true;
    }
}

// Every input goes on at a place that was sent already: their clocks went back together.
bool stacked_block::went_back() const
{
    return std::all_of(d_inputs.begin(), d_inputs.end(), [this](const stacked_input& i) {
        return i.next() < d_place + static_cast<std::int64_t>(i.filled());
    });
}

// Behind a clock that went back, the next block begins where all inputs are.
void stacked_block::follow_clock()
{
    if (!went_back()) {
        return;
    }
    d_place = d_inputs[0].next();
    for (const stacked_input& input : d_inputs) {
        d_place = std::max(d_place, input.next());
    }
    d_new_time = true;
    d_warning = "rx_time of all inputs went back: the stack goes on at " + start().iso(6);
}

// Where all inputs have been tuned alike, the next block has another frequency.
void stacked_block::follow_tuning()
{
    const double by = d_inputs[0].tuned();
    for (const stacked_input& input : d_inputs) {
        if (input.tuned() != by) {
            return;
        }
    }
    if (by == 0) {
        return;
    }
    d_freq += d_freq != 0 ? by : 0;
    d_new_time = true;
    for (stacked_input& input : d_inputs) {
        input.follow_tuning();
    }
}

bool stacked_block::fill(arrivals& from)
{
    const bool empty =
        std::all_of(d_inputs.begin(), d_inputs.end(), [](const stacked_input& i) {
            return i.filled() == 0;
        });
    if (empty) {
        follow_clock();
        skip_common_gap();
        follow_tuning();
    }
    fill_rows(from);
    if (!went_back()) { // those that did drop what was sent already
        fill_rows(from);
    }
    d_end = d_block;
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        if (from[i].last && from[i].left() == 0) {
            d_end = std::min(d_end, d_inputs[i].filled());
        }
    }
    const bool whole = filled() >= d_end;
    d_ended = d_ended || (whole && d_end < d_block);
    return whole;
}

// Where all clocks went back, nothing more belongs to the block.
void stacked_block::fill_rows(arrivals& from)
{
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        d_inputs[i].fill(from[i], d_axis, d_place, row(i), d_lost);
    }
    if (went_back()) {
        for (std::size_t i = 0; i < d_inputs.size(); ++i) {
            d_inputs[i].fill_zeros(d_block, row(i), d_lost);
        }
    }
}

std::size_t stacked_block::filled() const
{
    std::size_t least = d_block;
    for (const stacked_input& input : d_inputs) {
        least = std::min(least, input.filled());
    }
    return least;
}

void stacked_block::next(std::size_t samples)
{
    d_place += static_cast<std::int64_t>(samples);
    d_new_time = false;
    d_lost.clear();
    for (stacked_input& input : d_inputs) {
        input.next_block();
    }
}

std::vector<invalid_run> stacked_block::lost(std::size_t samples) const
{
    std::vector<invalid_run> lost;
    for (invalid_run r : d_lost) {
        if (r.first < samples) {
            r.count = std::min<std::uint64_t>(r.count, samples - r.first);
            lost.push_back(r);
        }
    }
    return lost;
}

const std::vector<std::uint8_t>& stacked_block::voltages(std::size_t samples)
{
    const std::size_t rest = (d_block - samples) * d_sample_bytes;
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        std::fill_n(row(i) + samples * d_sample_bytes, rest, 0);
    }
    return d_rows;
}

std::vector<std::string> stacked_block::take_warnings()
{
    std::vector<std::string> all;
    if (!d_warning.empty()) {
        all.push_back(std::move(d_warning));
        d_warning.clear();
    }
    for (stacked_input& input : d_inputs) {
        const std::string warning = input.take_warning();
        if (!warning.empty()) {
            all.push_back(warning);
        }
    }
    return all;
}

} // namespace gr::fringe
