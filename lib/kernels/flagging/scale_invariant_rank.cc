/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/scale_invariant_rank.h"
#include <algorithm>
#include <limits>

namespace gr::fringe::kernels {

namespace {

// Sums of eta that ought to be 0 are not, quite.
constexpr double rounding = 1e-9;

} // namespace

void scale_invariant_rank::along(const std::uint8_t* flagged,
                                 const std::uint8_t* used,
                                 std::size_t cells,
                                 std::size_t step,
                                 std::uint8_t* out)
{
    d_cells.clear();
    bool any = false;
    for (std::size_t k = 0; k < cells; ++k) {
        if (used[k * step]) {
            d_cells.push_back(k * step);
            any = any || flagged[k * step];
        }
    }
    if (!any) {
        return;
    }
    const std::size_t n = d_cells.size();
    d_sums.resize(n + 1);
    d_lowest.resize(n);
    d_sums[0] = 0;
    constexpr double none = std::numeric_limits<double>::infinity();
    double lowest = none, highest = -none;
    for (std::size_t x = 0; x < n; ++x) {
        const bool is = flagged[d_cells[x]] != 0;
        lowest = is || !d_gaps_only ? std::min(lowest, d_sums[x]) : lowest;
        d_lowest[x] = lowest;
        d_sums[x + 1] = d_sums[x] + (is ? d_eta : d_eta - 1);
    }
    for (std::size_t x = n; x-- > 0;) {
        const bool is = flagged[d_cells[x]] != 0;
        highest = is || !d_gaps_only ? std::max(highest, d_sums[x + 1]) : highest;
        if (highest - d_lowest[x] >= -rounding) {
            out[d_cells[x]] = 1;
        }
    }
}

void scale_invariant_rank::dilate(const std::uint8_t* flagged,
                                  const std::uint8_t* used,
                                  std::size_t dumps,
                                  std::size_t channels,
                                  std::uint8_t* out)
{
    std::fill_n(out, dumps * channels, 0);
    for (std::size_t t = 0; t < dumps; ++t) {
        const std::size_t row = t * channels;
        along(flagged + row, used + row, channels, 1, out + row);
    }
    for (std::size_t c = 0; c < channels; ++c) {
        along(flagged + c, used + c, dumps, channels, out + c);
    }
}

} // namespace gr::fringe::kernels
