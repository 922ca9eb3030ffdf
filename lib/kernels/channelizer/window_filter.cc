/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/window_filter.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/rows.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

aligned_vector<float>
coefficients(const channelizer_params& p, const std::vector<double>& h, bool conjugated)
{
    const std::size_t parts = p.complex_samples ? 2 : 1;
    const double scale = 1 / std::sqrt(static_cast<double>(p.points()));
    const bool alternating = p.complex_samples ? p.channels % 2 == 0 : conjugated;
    aligned_vector<float> out(h.size() * parts);
    for (std::size_t n = 0; n < h.size(); n++) {
        const double sign = alternating && n % 2 ? -1 : 1;
        out[n * parts] = static_cast<float>(sign * scale * h[n]);
        if (p.complex_samples) {
            out[2 * n + 1] = conjugated ? -out[2 * n] : out[2 * n];
        }
    }
    return out;
}

} // namespace

window_filter::window_filter(const channelizer_params& p)
    : d_in(p.in),
      d_taps(p.taps),
      d_width(p.points() * (p.complex_samples ? 2 : 1)),
      d_sample(component_bytes(p.in) * (p.complex_samples ? 2 : 1)),
      d_conjugate(p.conjugate.empty() ? std::vector<char>(p.inputs) : p.conjugate)
{
    const auto h = prototype(p.points(), p.taps, p.window);
    for (const bool conjugated : {false, true}) {
        if (std::any_of(d_conjugate.begin(), d_conjugate.end(), [&](char c) {
                return (c != 0) == conjugated;
            })) {
            d_coefficients[conjugated] = coefficients(p, h, conjugated);
        }
    }
    const bool rotated = p.complex_samples && p.channels % 2;
    const std::size_t first = rotated ? bin_of_channel(p, false, 0).index : 0;
    d_runs.push_back({first, 0, p.channels - first});
    if (first > 0) {
        d_runs.push_back({0, p.channels - first, first});
    }
}

window_filter::workspace window_filter::make_workspace() const
{
    const bool converted = d_in != component::f32 && d_taps > 1;
    return {aligned_vector<float>(converted ? d_taps * d_width : 0),
            aligned_vector<float>(d_width)};
}

// Integer rows are converted once, when the window reaches them, into a ring of taps rows.
float* window_filter::fold(const sample_history& past,
                           const window& w,
                           const std::uint8_t* in,
                           workspace& space) const
{
    const float* const h = d_coefficients[d_conjugate[w.i] != 0].data();
    const auto row_of = [&](unsigned tap) {
        const auto shift = w.shift * static_cast<std::ptrdiff_t>(d_sample);
        return past.shifted_row(w.i, w.s + tap, shift, in);
    };
    if (d_taps == 1 && d_in != component::f32) {
        (d_in == component::i8 ? weigh_i8 : weigh_i16)(
            row_of(0), h, d_width, space.folded.data());
        return space.folded.data();
    }
    std::array<const float*, 32> rows;
    for (unsigned tap = 0; tap < d_taps; tap++) {
        const auto row = row_of(tap);
        if (d_in == component::f32) {
            rows[tap] = reinterpret_cast<const float*>(row);
            continue;
        }
        const auto slot = space.ring.data() + (w.s + tap) % d_taps * d_width;
        if (w.anew || tap == d_taps - 1) {
            (d_in == component::i8 ? widen_i8 : widen_i16)(row, d_width, slot);
        }
        rows[tap] = slot;
    }
    filter_rows(rows.data(), h, d_taps, d_width, space.folded.data());
    return space.folded.data();
}

} // namespace kernels
} // namespace fringe
} // namespace gr
