/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/finish.h"
#include <array>
#include <cstring>
#include <utility>

namespace gr::fringe::kernels {

spectrum_finish::spectrum_finish(const channelizer_params& p,
                                 const std::vector<run_of_bins>& runs)
    : d_p(p),
      d_runs(runs),
      d_factors(p.max_shift_samples > 0 ? p.inputs : 0, slope_factors(p.channels)),
      d_saturated(p.inputs)
{
}

bool spectrum_finish::common_factors(std::size_t i,
                                     const steered* how,
                                     std::size_t count,
                                     row_factors& factors,
                                     row_turn* turns)
{
    if (d_p.max_shift_samples == 0) {
        factors = {corrections(i), nullptr};
        return true;
    }
    if (!d_factors[i].serve(corrections(i), how, count)) {
        return false;
    }
    factors = d_factors[i].factors();
    for (std::size_t n = 0; n < count; n++) {
        turns[n] = d_factors[i].turn(how[n]);
    }
    return true;
}

void spectrum_finish::multiply(std::size_t i,
                               const steered* how,
                               std::size_t count,
                               const bin_rows& spectra)
{
    row_factors factors{};
    std::array<row_turn, max_tile_spectra> turns;
    // One spectrum has factors always.
    if (!common_factors(i, how, count, factors, turns.data()) && count > 1) {
        for (std::size_t n = 0; n < count; n++) {
            multiply(i, how + n, 1, {reinterpret_cast<std::uint8_t*>(spectra.at(n)), 0});
        }
        return;
    }
    for (const auto& run : d_runs) {
        multiply_bins(
            factors.from(run.channel),
            d_p.max_shift_samples > 0 ? turns.data() : nullptr,
            {spectra.at(0) + 2 * run.bin, spectra.stride / sizeof(float), count},
            run.count);
    }
}

void spectrum_finish::write(std::size_t i, const float* bins, void* out)
{
    const std::size_t bytes = spectra_sample_bytes(d_p);
    for (const auto& run : d_runs) {
        const auto to = static_cast<std::uint8_t*>(out) + run.channel * bytes;
        const float* const from = bins + 2 * run.bin;
        if (d_p.requantize_bits == 0) {
            std::memcpy(to, from, run.count * bytes);
            continue;
        }
        d_saturated[i] += quantize_row(from,
                                       2 * run.count,
                                       d_p.gains.empty() ? 1.0f : d_p.gains[i],
                                       quantizer_limit(d_p.requantize_bits),
                                       reinterpret_cast<std::int8_t*>(to));
    }
}

std::uint64_t spectrum_finish::take_saturated(std::size_t i)
{
    return std::exchange(d_saturated[i], 0);
}

void spectrum_finish::forget()
{
    for (auto& f : d_factors) {
        f.forget();
    }
}

} // namespace gr::fringe::kernels
