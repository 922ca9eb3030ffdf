/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/blanking_windows.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <iterator>

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
    const auto found = d_kernel->find(windows, limits);
    const auto of_all = std::find_if(
        found.begin(), found.end(), [&](const auto& f) { return f.input == d_p.inputs; });
    std::vector<run> all = bursts_of(windows, levels);
    add_runs(of_all, found.end(), all);
    std::sort(all.begin(), all.end(), [](const run& a, const run& b) {
        return a.first < b.first;
    });
    auto own = found.begin();
    std::vector<run> runs, both;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        const auto begin = own;
        own = std::find_if(own, of_all, [&](const auto& f) { return f.input != i; });
        runs.clear();
        add_runs(begin, own, runs);
        both.clear();
        std::merge(runs.begin(),
                   runs.end(),
                   all.begin(),
                   all.end(),
                   std::back_inserter(both),
                   [](const run& a, const run& b) { return a.first < b.first; });
        for (const run& r : both) {
            keep(i, r);
        }
    }
}

// Samples that were found, with their guards, as runs in order.
void blanking_windows::add_runs(found_samples from,
                                found_samples end,
                                std::vector<run>& runs)
{
    const std::uint64_t guard = d_search.guard;
    for (; from != end; ++from) {
        for (std::uint64_t word = from->bits; word; word &= word - 1) {
            const std::uint64_t n =
                d_first + from->first + static_cast<std::uint64_t>(__builtin_ctzll(word));
            const std::uint64_t first = n - std::min(n, guard);
            if (!runs.empty() && first <= runs.back().end && first >= runs.back().first) {
                runs.back().end = std::max(runs.back().end, n + guard + 1);
            } else {
                runs.push_back({first, n + guard + 1});
            }
        }
    }
}

// In windows that begin at sample `first`, counted from the oldest that is held.
std::vector<kernels::sample_run> blanking_windows::lost_of(std::uint64_t first,
                                                           std::uint64_t end) const
{
    std::vector<kernels::sample_run> lost;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (const run& r : d_lost[i]) {
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

std::vector<blanking_windows::run>
blanking_windows::bursts_of(const kernels::sample_windows& in,
                            const std::vector<kernels::window_levels>& levels)
{
    constexpr std::size_t length = blanking::run_cells * blanking::cell;
    std::vector<run> bursts;
    for (std::size_t k = 0; k < levels.size(); ++k) {
        for (const auto& [first, end] : d_bursts.find(levels[k].runs)) {
            const std::uint64_t begin = d_first + in.begin(k);
            bursts.push_back({begin + first * length, begin + end * length});
        }
    }
    return bursts;
}

// Runs that touch become one. A guard may reach behind what was found before.
void blanking_windows::keep(std::size_t input, run r)
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
        for (const run& r : d_pulses[i]) {
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
