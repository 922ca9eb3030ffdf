/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/running_mean.h"
#include <algorithm>
#include <array>

namespace gr::fringe {

namespace {

// So many sums at a time, in a fixed order: vectors of any width give the same bits.
constexpr std::size_t lanes = 8;

// Adds up the parts of `count` samples.
void add_up(const float* x, std::size_t count, std::size_t parts, double* sums)
{
    const std::size_t values = count * parts;
    std::array<double, lanes> lane{};
    std::size_t n = 0;
    for (; n + lanes <= values; n += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) {
            lane[k] += static_cast<double>(x[n + k]);
        }
    }
    for (; n < values; ++n) {
        lane[n % lanes] += static_cast<double>(x[n]);
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        sums[k % parts] += lane[k];
    }
}

} // namespace

sample_sums sums_of(const voltage_rows& v, std::vector<invalid_run> invalid)
{
    sample_sums s;
    s.sums.assign(v.inputs * v.parts, 0);
    s.counts.assign(v.inputs, 0);
    std::sort(
        invalid.begin(), invalid.end(), [](const invalid_run& a, const invalid_run& b) {
            return a.input != b.input ? a.input < b.input : a.first < b.first;
        });
    auto run = invalid.begin();
    for (std::size_t i = 0; i < v.inputs; ++i) {
        const float* const row = v.voltages + i * v.stride * v.parts;
        std::uint64_t at = 0;
        const auto add_until = [&](std::uint64_t end) {
            end = std::min<std::uint64_t>(end, v.samples);
            if (end > at) {
                add_up(row + at * v.parts, end - at, v.parts, &s.sums[i * v.parts]);
                s.counts[i] += end - at;
            }
        };
        for (; run != invalid.end() && run->input <= i; ++run) {
            if (run->input == i) {
                add_until(run->first);
                at = std::max(at, run->first + run->count);
            }
        }
        add_until(v.samples);
    }
    return s;
}

running_mean::running_mean(std::size_t blocks) : d_blocks(blocks) {}

void running_mean::add(std::shared_ptr<const sample_sums> block)
{
    d_last.push_back(std::move(block));
    if (d_last.size() > d_blocks) {
        d_last.pop_front();
    }
}

void running_mean::remove(const voltage_rows& v) const
{
    for (std::size_t i = 0; i < v.inputs; ++i) {
        double sums[2] = {};
        std::uint64_t count = 0;
        for (const auto& block : d_last) {
            for (std::size_t part = 0; part < v.parts; ++part) {
                sums[part] += block->sums[i * v.parts + part];
            }
            count += block->counts[i];
        }
        if (count == 0) {
            continue;
        }
        const auto first = static_cast<float>(sums[0] / static_cast<double>(count));
        const auto second = v.parts == 2
                                ? static_cast<float>(sums[1] / static_cast<double>(count))
                                : first;
        float* const row = v.voltages + i * v.stride * v.parts;
        const std::size_t values = v.samples * v.parts;
        for (std::size_t n = 0; n + 1 < values; n += 2) {
            row[n] -= first;
            row[n + 1] -= second;
        }
        if (values % 2 == 1) {
            row[values - 1] -= first;
        }
    }
}

} // namespace gr::fringe
