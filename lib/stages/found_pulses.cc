/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/found_pulses.h"
#include <algorithm>

namespace gr::fringe {

namespace {

constexpr std::uint64_t word_samples = 64;

template <class Each>
void for_each_bit(std::uint64_t word, const Each& each)
{
    for (; word; word &= word - 1) {
        each(static_cast<std::uint64_t>(__builtin_ctzll(word)));
    }
}

} // namespace

std::vector<found_of_window> found_of_window::of(const all_samples& found,
                                                 const kernels::sample_windows& windows,
                                                 std::size_t inputs)
{
    std::vector<found_of_window> all(windows.windows());
    auto at = found.begin();
    for (std::size_t i = 0; i <= inputs; ++i) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            const std::size_t end = windows.begin(k) + windows.samples(k);
            const auto first = at;
            while (at != found.end() && at->input == i && at->first < end) {
                ++at;
            }
            all[k].rows.emplace_back(first, at);
        }
    }
    return all;
}

std::vector<char> found_of_window::marked(std::size_t begin, std::size_t count) const
{
    std::vector<char> marks(count);
    for (auto at = rows.back().first; at != rows.back().second; ++at) {
        for_each_bit(at->bits,
                     [&](std::uint64_t n) { marks[at->first - begin + n] = 1; });
    }
    return marks;
}

void add_runs(const found_range& found,
              std::uint64_t held,
              std::uint64_t guard,
              std::vector<sample_range>& runs)
{
    for (auto at = found.first; at != found.second; ++at) {
        for_each_bit(at->bits, [&](std::uint64_t bit) {
            const std::uint64_t n = held + at->first + bit;
            const std::uint64_t first = n - std::min(n, guard);
            if (!runs.empty() && first <= runs.back().end && first >= runs.back().first) {
                runs.back().end = std::max(runs.back().end, n + guard + 1);
            } else {
                runs.push_back({first, n + guard + 1});
            }
        });
    }
}

std::uint64_t bits_in(const kernels::found_samples& word,
                      std::uint64_t held,
                      const std::vector<sample_range>& runs)
{
    std::uint64_t bits = 0;
    const std::uint64_t begin = held + word.first, end = begin + word_samples;
    auto r = std::lower_bound(
        runs.begin(), runs.end(), begin, [](const sample_range& a, std::uint64_t at) {
            return a.end <= at;
        });
    for (; r != runs.end() && r->first < end; ++r) {
        const std::uint64_t a = std::max(r->first, begin), b = std::min(r->end, end);
        bits |= ~std::uint64_t(0) >> (word_samples - (b - a)) << (a - begin);
    }
    return bits;
}

} // namespace gr::fringe
