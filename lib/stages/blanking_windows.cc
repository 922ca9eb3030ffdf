/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/blanking_windows.h"
#include "kernels/base/require.h"
#include <algorithm>

namespace gr::fringe {

using kernels::blanking;

namespace {

constexpr double of_bursts = 0.1; // of the rate of false alarms, as each is long

std::vector<char> marked(std::size_t inputs, const std::vector<std::size_t>& bad)
{
    std::vector<char> marks(inputs, 0);
    for (const std::size_t i : bad) {
        marks[i] = 1;
    }
    return marks;
}

kernels::blanking_params for_search(kernels::blanking_params p, const pulse_search& s)
{
    p.held_samples = 2 * s.window + 2 * s.guard + 2 * p.block_samples;
    p.bad_input = marked(p.inputs, s.bad_inputs);
    return p;
}

} // namespace

void check_pulse_search(const std::string& block,
                        const pulse_search& search,
                        std::size_t inputs)
{
    require(search.false_alarm >= 1e-9 && search.false_alarm <= 1e-2,
            block,
            "false_alarm",
            search.false_alarm,
            "must be 1e-9 to 0.01");
    require(search.window >= 1024 && search.window <= 1 << 20 &&
                search.window % blanking::cell == 0,
            block,
            "window",
            search.window,
            "must be a multiple of 16 samples, 1024 to 1048576");
    require(
        search.guard <= 512, block, "guard", search.guard, "must be 0 to 512 samples");
    for (const std::size_t i : search.bad_inputs) {
        require(i < inputs,
                block,
                "bad_inputs",
                i,
                "they are numbered 0 ... " + std::to_string(inputs - 1));
    }
}

void check_pulse_bits(const std::string& block, unsigned bits)
{
    require(
        bits > 2,
        block,
        "bits",
        bits,
        "samples of 1 or 2 bits have one level for all strong signals, so a pulse is not "
        "seen in them; search in spectra or dumps");
}

blanking_windows::blanking_windows(const kernels::compute_target& where,
                                   kernels::blanking_params p,
                                   const pulse_search& search)
    : d_p(for_search(p, search)),
      d_search(search),
      d_kernel(kernels::make_blanking(where, d_p)),
      d_limits(p.inputs,
               p.complex_samples,
               search.false_alarm / static_cast<double>(2 * search.guard + 1),
               d_p.bad_input),
      d_bursts(of_bursts * search.false_alarm),
      d_edges(search.guard),
      d_lost(p.inputs),
      d_pulses(p.inputs)
{
}

void blanking_windows::begin(std::uint64_t position)
{
    d_kernel->clear();
    d_blocks.clear();
    d_first = d_end = d_searched = d_decided = position;
    d_ended = false;
    for (auto* runs : {&d_lost, &d_pulses}) {
        for (auto& of_input : *runs) {
            of_input.clear();
        }
    }
}

void blanking_windows::add(const void* block,
                           std::size_t samples,
                           const std::vector<invalid_run>& invalid)
{
    d_kernel->append(block, samples);
    d_blocks.push_back(samples);
    for (const invalid_run& r : invalid) {
        if (r.input < d_p.inputs && r.count > 0) {
            d_lost[r.input].push_back({d_end + r.first, d_end + r.first + r.count});
        }
    }
    d_end += samples;
    search();
    d_decided = std::max(d_decided, d_searched - std::min(d_searched, d_search.guard));
}

void blanking_windows::end()
{
    search();
    if (d_searched < d_end) { // the last window is short
        search_windows(d_searched, d_end);
    }
    d_searched = d_decided = d_end;
    d_ended = true;
}

// Searches the windows that are complete.
void blanking_windows::search()
{
    const std::uint64_t end = d_end / d_search.window * d_search.window;
    if (end > d_searched) {
        search_windows(d_searched, end);
        d_searched = end;
    }
}

// A window that began before the data is not searched.
void blanking_windows::search_windows(std::uint64_t first, std::uint64_t end)
{
    const std::uint64_t length = d_search.window;
    first = (first + length - 1) / length * length;
    if (first >= end) {
        return;
    }
    const kernels::sample_windows windows{first - d_first, end - first, length};
    const auto levels = d_kernel->levels(windows, lost_of(first, end));
    std::vector<kernels::blanking_limits> limits;
    for (const kernels::window_levels& l : levels) {
        limits.push_back(d_limits.find(l));
    }
    const all_samples found = d_kernel->find(windows, limits);
    const auto of_windows = found_of_window::of(found, windows, d_p.inputs);
    const auto guards = guards_of(windows, limits, of_windows);
    for (std::size_t k = 0; k < levels.size(); ++k) {
        keep_pulses(
            of_windows[k], guards[k], bursts_of(d_first + windows.begin(k), levels[k]));
    }
}

// How many samples before and behind the pulses of each window are blanked. In windows with many
// pulses these samples themselves tell.
std::vector<std::size_t>
blanking_windows::guards_of(const kernels::sample_windows& windows,
                            const std::vector<kernels::blanking_limits>& limits,
                            const std::vector<found_of_window>& found)
{
    std::vector<std::size_t> guards(found.size(), d_search.guard);
    std::vector<kernels::blanking_limits> middles;
    std::vector<std::size_t> looked_at;
    for (std::size_t k = 0; k < found.size(); ++k) {
        std::vector<sample_range> pulses;
        add_runs(found[k].rows.back(), d_first, d_search.guard, pulses);
        const bool many = d_search.guard > 0 && pulses.size() >= pulse_edges::fewest;
        middles.push_back(d_limits.middle(limits[k], many));
        if (many) {
            looked_at.push_back(k);
        }
    }
    if (looked_at.empty()) {
        return guards;
    }
    const all_samples high = d_kernel->find(windows, middles);
    const auto above = found_of_window::of(high, windows, d_p.inputs);
    for (const std::size_t k : looked_at) {
        const std::size_t first = windows.begin(k), count = windows.samples(k);
        guards[k] =
            d_edges.needed(found[k].marked(first, count), above[k].marked(first, count));
    }
    return guards;
}

// all: bursts of the window. What one input has alone, away from the pulses of all, has the whole
// guard.
void blanking_windows::keep_pulses(const found_of_window& found,
                                   std::size_t guard,
                                   std::vector<sample_range> all)
{
    const auto earlier = [](const sample_range& a, const sample_range& b) {
        return a.first < b.first;
    };
    std::vector<sample_range> near, runs;
    add_runs(found.rows.back(), d_first, d_search.guard, near);
    add_runs(found.rows.back(), d_first, guard, all);
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        const auto [from, end] = found.rows[i];
        all_samples with_all(from, end), alone(from, end);
        for (std::size_t k = 0; k < alone.size(); ++k) {
            with_all[k].bits &= bits_in(*(from + long(k)), d_first, near);
            alone[k].bits &= ~with_all[k].bits;
        }
        runs = all;
        add_runs({with_all.begin(), with_all.end()}, d_first, guard, runs);
        add_runs({alone.begin(), alone.end()}, d_first, d_search.guard, runs);
        std::sort(runs.begin(), runs.end(), earlier);
        for (const sample_range& r : runs) {
            keep(i, r);
        }
    }
}

// In windows that begin at sample `first`, counted from the oldest that is held.
std::vector<kernels::sample_run> blanking_windows::lost_of(std::uint64_t first,
                                                           std::uint64_t end) const
{
    std::vector<kernels::sample_run> lost;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (const sample_range& r : d_lost[i]) {
            const std::uint64_t a = std::max(r.first, first), b = std::min(r.end, end);
            if (a < b) {
                lost.push_back({static_cast<std::uint32_t>(i),
                                static_cast<std::uint32_t>(a - d_first),
                                static_cast<std::uint32_t>(b - a)});
            }
        }
    }
    return lost;
}

// Of a window that begins at a sample of the data.
std::vector<sample_range>
blanking_windows::bursts_of(std::uint64_t begin, const kernels::window_levels& levels)
{
    constexpr std::size_t length = blanking::run_cells * blanking::cell;
    std::vector<sample_range> bursts;
    for (const auto& [first, end] : d_bursts.find(levels.runs)) {
        bursts.push_back({begin + first * length, begin + end * length});
    }
    return bursts;
}

// Runs that touch become one. A guard may reach behind what was found before.
void blanking_windows::keep(std::size_t input, sample_range r)
{
    auto& runs = d_pulses[input];
    while (!runs.empty() && r.first <= runs.back().end) {
        r.first = std::min(r.first, runs.back().first);
        r.end = std::max(r.end, runs.back().end);
        runs.pop_back();
    }
    runs.push_back(r);
}

std::vector<invalid_run> blanking_windows::take(void* block)
{
    const std::size_t samples = d_blocks.front();
    const std::uint64_t end = d_first + samples;
    std::vector<kernels::sample_run> zeros;
    std::vector<invalid_run> blanked;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (const sample_range& r : d_pulses[i]) {
            const std::uint64_t a = std::max(r.first, d_first), b = std::min(r.end, end);
            if (a < b) {
                zeros.push_back({static_cast<std::uint32_t>(i),
                                 static_cast<std::uint32_t>(a - d_first),
                                 static_cast<std::uint32_t>(b - a)});
                blanked.push_back({i, a - d_first, b - a});
            }
        }
        for (auto* runs : {&d_pulses[i], &d_lost[i]}) {
            while (!runs->empty() && runs->front().end <= end) {
                runs->pop_front();
            }
        }
    }
    d_kernel->zero(zeros);
    d_kernel->take(block, samples);
    d_blocks.pop_front();
    d_first = end;
    return blanked;
}

} // namespace gr::fringe
