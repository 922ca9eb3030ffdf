/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/ring_times.h"
#include "blocks/ports/stream_description.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/logger.h>
#include <iterator>
#include <stdexcept>

namespace gr::fringe {

namespace {

constexpr double same_rate = 1e-9; // of it

bool says_when(const tag_t& t)
{
    return pmt::eq(t.key, tag::rx_time()) || pmt::eq(t.key, tag::rx_rate()) ||
           pmt::eq(t.key, tag::rx_freq());
}

} // namespace

ring_times::ring_times(std::size_t block, double rate) : d_block(block), d_rate(rate) {}

void ring_times::restart()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_dated = false;
}

void ring_times::add(std::uint64_t number, const std::vector<tag_t>& tags)
{
    std::vector<tag_t> when;
    std::copy_if(tags.begin(), tags.end(), std::back_inserter(when), says_when);
    const item_tags its(when);
    const std::lock_guard<std::mutex> lock(d_mutex);
    if (its.rx_rate) {
        check_rate(*its.rx_rate);
    }
    for (const tag_t& t : tags) {
        if (pmt::eq(t.key, tag::stream())) {
            d_described = t;
        }
    }
    if (its.rx_time) {
        begin(number, *its.rx_time, its.rx_freq);
        d_dated = true;
    } else if (!d_dated) {
        throw stream_mismatch("voltage_ring: the samples carry no time (rx_time), which "
                              "recordings need: give the source a start time");
    }
    if (!tags.empty()) {
        d_tags[number] = tags;
    }
}

void ring_times::check_rate(double rate) const
{
    if (std::abs(rate - d_rate) > same_rate * d_rate) {
        throw stream_mismatch(
            fmt::format("voltage_ring: sample_rate {:.12g}; the data have {:.12g} Hz "
                        "(rx_rate)",
                        d_rate,
                        rate));
    }
}

void ring_times::begin(std::uint64_t number,
                       const epoch& start,
                       std::optional<double> frequency)
{
    ring_run run{number, start, frequency.value_or(0), number, start};
    if (!d_runs.empty()) {
        const ring_run& last = d_runs.back();
        run.frequency = frequency.value_or(last.frequency);
        if (run.frequency == last.frequency &&
            start.seconds_since(time(last, number)) > -0.5 / d_rate) {
            run.axis = last.axis;
            run.axis_start = last.axis_start;
        }
    }
    d_runs.push_back(run);
}

epoch ring_times::time(const ring_run& run, std::uint64_t number) const
{
    return run.start.plus_samples(
        static_cast<std::int64_t>((number - run.first) * d_block), d_rate);
}

void ring_times::forget(std::uint64_t first)
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    while (d_runs.size() > 1 && d_runs[1].first <= first) {
        d_runs.pop_front();
    }
    d_tags.erase(d_tags.begin(), d_tags.lower_bound(first));
}

const ring_run* ring_times::run_of(std::uint64_t number) const
{
    const auto found = std::find_if(d_runs.rbegin(),
                                    d_runs.rend(),
                                    [&](const ring_run& r) { return r.first <= number; });
    return found == d_runs.rend() ? nullptr : &*found;
}

ring_item ring_times::item_of(const ring_run& run, std::uint64_t number) const
{
    ring_item its{time(run, number), time(run, number + 1), run, {}};
    const auto found = d_tags.find(number);
    if (found != d_tags.end()) {
        std::copy_if(found->second.begin(),
                     found->second.end(),
                     std::back_inserter(its.tags),
                     [](const tag_t& t) { return !pmt::eq(t.key, tag::stream()); });
    }
    if (d_described) {
        its.tags.push_back(*d_described);
    }
    return its;
}

std::optional<ring_item> ring_times::item(std::uint64_t number) const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    const ring_run* const run = run_of(number);
    return run ? std::optional(item_of(*run, number)) : std::nullopt;
}

ring_item ring_times::oldest(std::uint64_t number) const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    if (d_runs.empty()) {
        throw std::logic_error("ring_times: no items have come yet");
    }
    const ring_run* const run = run_of(number);
    return run ? item_of(*run, number) : item_of(d_runs.front(), d_runs.front().first);
}

std::vector<std::pair<epoch, epoch>> ring_times::stretches(std::uint64_t first,
                                                           std::uint64_t end) const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<std::pair<epoch, epoch>> found;
    for (std::size_t k = 0; k < d_runs.size(); ++k) {
        const ring_run& run = d_runs[k];
        const std::uint64_t behind = k + 1 < d_runs.size() ? d_runs[k + 1].first : end;
        const std::uint64_t low = std::max(run.first, first),
                            high = std::min(behind, end);
        if (low < high) {
            found.emplace_back(time(run, low), time(run, high));
        }
    }
    return found;
}

std::uint64_t ring_times::find(const epoch& instant, std::uint64_t first) const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    std::uint64_t number = first;
    for (std::size_t k = 0; k < d_runs.size(); ++k) {
        const ring_run& run = d_runs[k];
        if (run.axis != d_runs.back().axis) {
            continue;
        }
        const double late = (instant.seconds_since(run.start) * d_rate + 0.5) /
                            static_cast<double>(d_block);
        number = std::max({run.first,
                           first,
                           run.first + static_cast<std::uint64_t>(std::max(late, 0.0))});
        if (k + 1 < d_runs.size() && number < d_runs[k + 1].first) {
            break;
        }
    }
    return number;
}

std::vector<epoch> ring_times::begins(std::uint64_t number) const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<epoch> found;
    for (const ring_run& run : d_runs) {
        if (run.first > number) {
            found.push_back(run.start);
        }
    }
    return found;
}

} // namespace gr::fringe
