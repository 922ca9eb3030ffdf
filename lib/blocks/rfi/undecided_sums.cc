/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/undecided_sums.h"
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace gr::fringe {

namespace {

constexpr std::size_t value_bytes = 8; // complex float32 or int32
constexpr std::size_t max_bytes = std::size_t(1) << 32;

} // namespace

undecided_sums::undecided_sums(std::size_t inputs, std::size_t channels)
    : d_inputs(inputs), d_channels(channels), d_baselines(kernels::baselines(inputs))
{
}

void undecided_sums::hold(const subintegration& sum, kernels::xengine& kernel)
{
    const std::size_t bytes = d_channels * d_baselines * value_bytes;
    if ((d_held.size() + 1) * bytes > max_bytes) {
        throw std::runtime_error("xengine: " + std::to_string(d_held.size() + 1) +
                                 " sums wait for the decision on one window of spectra, "
                                 "more than 4 GB; take a "
                                 "shorter window, or longer dumps");
    }
    d_held.push_back({sum, std::move(d_spare)});
    d_spare.clear();
    d_held.back().values.resize(bytes);
    kernel.read(0, d_channels, d_held.back().values.data());
    kernel.clear();
}

void undecided_sums::forget_first()
{
    d_spare = std::move(d_held.front().values); // fresh memory costs more than its use
    d_held.pop_front();
}

std::uint64_t undecided_sums::spectra() const
{
    std::uint64_t all = 0;
    for (const held& one : d_held) {
        all += one.sum.counts.spectra();
    }
    return all;
}

void undecided_sums::read_first(std::size_t first, std::size_t count, void* out) const
{
    const std::size_t row = d_baselines * value_bytes;
    std::memcpy(out, d_held.front().values.data() + first * row, count * row);
}

void undecided_sums::decide(const std::vector<cell_run>& cells, subintegration& under_way)
{
    d_bad.clear();
    if (cells.empty()) {
        return;
    }
    d_bad.resize(d_channels * d_inputs);
    for (const cell_run& r : cells) {
        const std::size_t first = std::min<std::size_t>(r.first, d_bad.size());
        std::fill_n(d_bad.begin() + static_cast<std::ptrdiff_t>(first),
                    std::min<std::size_t>(r.count, d_bad.size() - first),
                    1);
    }
    for (held& one : d_held) {
        one.sum.flag(cells);
    }
    under_way.flag(cells);
}

void undecided_sums::drop(std::size_t first, std::size_t count, void* sums) const
{
    if (d_bad.empty()) {
        return;
    }
    for (std::size_t c = 0; c < count; ++c) {
        const char* bad = d_bad.data() + (first + c) * d_inputs;
        if (!std::memchr(bad, 1, d_inputs)) {
            continue;
        }
        auto* row = static_cast<std::uint64_t*>(sums) + c * d_baselines;
        for (std::size_t i = 0; i < d_inputs; ++i) {
            if (!bad[i]) {
                continue;
            }
            for (std::size_t j = 0; j < i; ++j) {
                row[kernels::baseline_index(j, i, d_inputs)] = 0;
            }
            std::fill_n(row + kernels::baseline_index(i, i, d_inputs), d_inputs - i, 0);
        }
    }
}

} // namespace gr::fringe
