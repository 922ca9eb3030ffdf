/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/spectra_judge.h"
#include "blocks/block_checks.h"
#include <algorithm>

namespace gr {
namespace fringe {

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

kernels::detector_params detector_of(const std::string& block,
                                     const kurtosis_search& search,
                                     std::size_t inputs,
                                     std::size_t channels)
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

bool count_valid_spectra(const std::vector<invalid_run>& lost,
                         std::size_t spectra,
                         std::size_t block_spectra,
                         std::vector<char>& ok,
                         std::vector<std::uint32_t>& valid)
{
    if (lost.empty()) {
        for (auto& v : valid) {
            v += static_cast<std::uint32_t>(spectra);
        }
        return false;
    }
    ok.assign(valid.size() * block_spectra, 1);
    const auto at = [&](std::size_t input, std::uint64_t spectrum) {
        return ok.begin() + static_cast<std::ptrdiff_t>(input * block_spectra + spectrum);
    };
    for (const invalid_run& r : lost) { // runs may overlap
        if (r.input < valid.size() && r.first < spectra) {
            std::fill_n(at(r.input, r.first),
                        std::min<std::uint64_t>(r.count, spectra - r.first),
                        0);
        }
    }
    for (std::size_t i = 0; i < valid.size(); ++i) {
        valid[i] += static_cast<std::uint32_t>(std::count(at(i, 0), at(i, spectra), 1));
    }
    return true;
}

spectra_judge::spectra_judge(const kurtosis_search& search,
                             std::size_t inputs,
                             std::size_t channels,
                             std::size_t block_spectra)
    : d_search(search),
      d_inputs(inputs),
      d_block_spectra(block_spectra),
      d_window(search.window_of(inputs)),
      d_detector(detector_of("channelizer", search, inputs, channels)),
      d_occupancy(inputs, channels),
      d_valid(inputs),
      d_s1(inputs * channels),
      d_s2(d_s1.size()),
      // The first item says that verdicts will come.
      d_verdict(search.drop ? from_flagged({}) : nullptr)
{
}

kernels::valid_spectra spectra_judge::count(const std::vector<invalid_run>& lost,
                                            std::size_t spectra)
{
    d_spectra += spectra;
    if (!count_valid_spectra(lost, spectra, d_block_spectra, d_ok, d_valid)) {
        return {nullptr, 0};
    }
    return {d_ok.data(), d_block_spectra};
}

void spectra_judge::end_window(kernels::channelizer& sums,
                               const epoch& start,
                               double rate)
{
    if (d_spectra == 0) {
        return;
    }
    sums.read_powers(d_s1.data(), d_s2.data());
    const auto& causes = d_detector.judge(d_s1.data(), d_s2.data(), d_valid);
    d_occupancy.add(causes, d_valid, d_spectra);
    if (d_search.drop) {
        d_verdict = from_flagged(runs_of(causes));
    }
    d_untold = d_untold.value_or(start);
    d_untold_seconds += static_cast<double>(d_spectra) / rate;
    std::fill(d_valid.begin(), d_valid.end(), 0);
    d_spectra = 0;
}

pmt::pmt_t spectra_judge::verdict()
{
    pmt::pmt_t now;
    std::swap(now, d_verdict);
    return now;
}

pmt::pmt_t spectra_judge::message(bool at_the_end)
{
    if (d_untold_seconds <= 0 || (!at_the_end && d_untold_seconds < d_search.period)) {
        return nullptr;
    }
    const auto said = d_occupancy.message(*d_untold, d_untold_seconds);
    d_untold.reset();
    d_untold_seconds = 0;
    return said;
}

} // namespace fringe
} // namespace gr
