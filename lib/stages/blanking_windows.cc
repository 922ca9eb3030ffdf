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

std::vector<char> marked(std::size_t inputs, const std::vector<std::size_t>& bad)
{
    std::vector<char> marks(inputs, 0);
    for (const std::size_t i : bad) {
        marks[i] = 1;
    }
    return marks;
}

kernels::blanking_params with_room(kernels::blanking_params p, const pulse_search& s)
{
    p.held_samples = 2 * s.window + 2 * s.guard + 2 * p.block_samples;
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
    : d_p(with_room(p, search)),
      d_search(search),
      d_kernel(kernels::make_blanking(where, d_p)),
      d_limits(p.inputs,
               p.complex_samples,
               search.false_alarm / static_cast<double>(2 * search.guard + 1),
               marked(p.inputs, search.bad_inputs)),
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
        search_window(d_searched, d_end);
    }
    d_searched = d_decided = d_end;
    d_ended = true;
}

// Searches the windows that are complete.
void blanking_windows::search()
{
    const std::uint64_t length = d_search.window;
    for (std::uint64_t next = (d_searched / length + 1) * length; next <= d_end;
         next += length) {
        search_window(d_searched, next);
        d_searched = next;
    }
}

void blanking_windows::search_window(std::uint64_t first, std::uint64_t end)
{
    const std::size_t cells = (end - first) / blanking::cell, count = end - first;
    if (first % d_search.window != 0 || cells < kernels::pulse_limits::fewest) {
        return;
    }
    d_powers.resize(d_p.inputs * cells);
    d_kernel->cell_powers(first - d_first, cells, d_powers.data());
    leave_out_lost(first, cells);
    const auto bits =
        d_kernel->find(first - d_first, count, d_limits.find(d_powers.data(), cells));
    const std::size_t words = (count + 63) / 64;
    const std::uint64_t* const all = bits.data() + d_p.inputs * words;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (std::size_t k = 0; k < words; ++k) {
            for (std::uint64_t word = bits[i * words + k] | all[k]; word;
                 word &= word - 1) {
                const std::uint64_t n =
                    first + 64 * k + static_cast<std::uint64_t>(__builtin_ctzll(word));
                keep(i, {n - std::min(n, d_search.guard), n + d_search.guard + 1});
            }
        }
    }
}

// Cells with a lost sample do not count.
void blanking_windows::leave_out_lost(std::uint64_t first, std::size_t cells)
{
    const std::uint64_t end = first + cells * blanking::cell;
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (const run& r : d_lost[i]) {
            const std::uint64_t a = std::max(r.first, first), b = std::min(r.end, end);
            for (std::uint64_t n = a; n < b;
                 n = (n / blanking::cell + 1) * blanking::cell) {
                d_powers[i * cells + (n - first) / blanking::cell] = -1;
            }
        }
    }
}

// Pulses come in order; those that touch become one run.
void blanking_windows::keep(std::size_t input, run r)
{
    auto& runs = d_pulses[input];
    if (!runs.empty() && r.first <= runs.back().end) {
        runs.back().end = std::max(runs.back().end, r.end);
    } else {
        runs.push_back(r);
    }
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
