/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/window_plan.h"
#include "kernels/channelizer/backends.h"

namespace gr::fringe {

window_plan::window_plan(const kernels::channelizer_params& p,
                         const tracking::sptr& towards)
    : d_points(p.points()),
      d_taps(p.taps),
      d_skip(kernels::max_shift_rows(p)),
      d_fill(p.taps - 1 + d_skip),
      d_block_rows(p.block_spectra),
      d_steering(towards, p)
{
}

void window_plan::correct(std::vector<std::complex<float>> factors, const epoch& from)
{
    d_corrections.plan({std::move(factors), from});
}

std::optional<window_plan::jump>
window_plan::jump_to(const epoch& start, double rate, std::uint64_t expected)
{
    const bool started = d_time.started();
    array::timeline time = d_time;
    const std::uint64_t sample = time.begin(start, rate, expected);
    if (started && sample == expected && !d_ended && !time.is_new_axis()) {
        d_time = time;
        return std::nullopt;
    }
    return jump{time, sample, started ? sample - expected : 0};
}

std::optional<std::size_t> window_plan::spectra_before_change(std::uint64_t first,
                                                              std::size_t limit) const
{
    const auto from = d_corrections.next();
    if (!from) {
        return std::nullopt;
    }
    if (!d_time.started()) { // without times they count at once
        return 0;
    }
    const double before =
        windows_before(*from, d_time, first, d_taps * d_points, d_points);
    if (before >= static_cast<double>(limit)) {
        return std::nullopt;
    }
    return before > 0 ? static_cast<std::size_t>(before) : 0;
}

std::size_t window_plan::rows_of_zeros(std::uint64_t first, std::size_t kept) const
{
    if (kept < d_taps) {
        return 0;
    }
    const std::size_t spectra = d_steering.whole_before(
        first + kept * d_points, d_time, first, kept - d_taps + 1);
    return spectra > 0 ? spectra + d_fill - kept : 0;
}

} // namespace gr::fringe
