/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/window_search.h"
#include "kernels/base/require.h"
#include <algorithm>

namespace gr::fringe {

using kernels::cell_run;

namespace {

std::vector<char> marked(const std::string& block,
                         const std::string& name,
                         const std::vector<std::size_t>& list,
                         std::size_t size)
{
    std::vector<char> out(list.empty() ? 0 : size);
    for (const std::size_t k : list) {
        require(k < size,
                block,
                name,
                k,
                "they are numbered 0 ... " + std::to_string(size - 1));
        out[k] = 1;
    }
    return out;
}

} // namespace

std::size_t window_spectra(const kurtosis_search& search,
                           std::size_t inputs,
                           std::size_t block_spectra)
{
    const std::size_t blocks =
        (search.window_of(inputs) + block_spectra / 2) / block_spectra;
    return std::max<std::size_t>(blocks, 1) * block_spectra;
}

kernels::detector_params detector_of(const std::string& block,
                                     const kurtosis_search& search,
                                     std::size_t inputs,
                                     std::size_t channels,
                                     unsigned quantized_bits)
{
    require(search.window == 0 || (search.window >= 16 && search.window <= 65536),
            block,
            "window",
            search.window,
            "must be 16 to 65536, or 0 to have it chosen");
    require(search.false_alarm >= 1e-6 && search.false_alarm <= 0.1,
            block,
            "false_alarm",
            search.false_alarm,
            "must be 1e-6 to 0.1");
    require(search.period > 0, block, "period", search.period, "must be more than 0 s");
    kernels::detector_params d;
    d.inputs = inputs;
    d.channels = channels;
    d.false_alarm = search.false_alarm;
    d.per_input = search.per_input;
    d.combined = search.combined;
    d.power = search.power;
    d.clip = quantized_bits == 8 ? 127 : quantized_bits == 4 ? 7 : 0;
    d.mask = marked(block, "mask", search.mask, channels);
    d.bad_input = marked(block, "bad_inputs", search.bad_inputs, inputs);
    return d;
}

std::vector<cell_run> runs_of(const std::vector<std::uint8_t>& causes)
{
    std::vector<cell_run> runs;
    for (std::size_t k = 0; k < causes.size(); ++k) {
        if (!causes[k]) {
            continue;
        }
        if (!runs.empty() && runs.back().first + runs.back().count == k) {
            ++runs.back().count;
        } else {
            runs.push_back({static_cast<std::uint32_t>(k), 1});
        }
    }
    return runs;
}

void counted_spectra::add(const std::vector<invalid_run>& lost,
                          std::size_t first,
                          std::size_t count)
{
    spectra += count;
    for (auto& v : valid) {
        v += static_cast<std::uint32_t>(count);
    }
    // Runs may overlap: every lost spectrum of an input is marked once.
    std::vector<char> marks;
    for (const invalid_run& r : lost) {
        const std::uint64_t begin = std::max<std::uint64_t>(r.first, first);
        const std::uint64_t end =
            std::min<std::uint64_t>(r.first + r.count, first + count);
        if (r.input >= valid.size() || begin >= end) {
            continue;
        }
        marks.resize(valid.size() * count);
        const auto from = static_cast<std::ptrdiff_t>(r.input * count + begin - first);
        for (auto m = marks.begin() + from;
             m < marks.begin() + from + static_cast<std::ptrdiff_t>(end - begin);
             ++m) {
            valid[r.input] -= *m == 0;
            *m = 1;
        }
    }
}

} // namespace gr::fringe
