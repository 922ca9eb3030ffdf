/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/window_filter.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/channelizer/rows.h"
#include <cmath>

namespace gr::fringe::kernels {

namespace {

aligned_vector<float> coefficients(const channelizer_params& p, bool alternating)
{
    const auto h = prototype(p.points(), p.taps, p.window);
    const double scale = 1 / std::sqrt(static_cast<double>(p.points()));
    aligned_vector<float> out(h.size());
    for (std::size_t n = 0; n < h.size(); n++) {
        out[n] = static_cast<float>((alternating && n % 2 ? -scale : scale) * h[n]);
    }
    return out;
}

} // namespace

window_filter::window_filter(const channelizer_params& p)
    : d_in(p.in),
      d_complex(p.complex_samples),
      d_taps(p.taps),
      d_width(p.points() * (p.complex_samples ? 2 : 1)),
      d_sample(component_bytes(p.in) * (p.complex_samples ? 2 : 1)),
      d_conjugate(p.conjugate.empty() ? std::vector<char>(p.inputs) : p.conjugate)
{
    d_coefficients[0] = coefficients(p, p.complex_samples && p.channels % 2 == 0);
    if (!p.complex_samples && !p.conjugate.empty()) {
        d_coefficients[1] = coefficients(p, true);
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
    const bool conjugated = d_conjugate[w.i] != 0;
    float* const folded = space.folded.data();
    const auto row_of = [&](unsigned tap) {
        const auto shift = w.shift * static_cast<std::ptrdiff_t>(d_sample);
        return past.shifted_row(w.i, w.s + tap, shift, in);
    };
    if (d_taps == 1 && d_in != component::f32) {
        weigh(row_of(0), conjugated, folded);
        return folded;
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
    add_rows(rows.data(), conjugated, folded);
    return folded;
}

void window_filter::weigh(const std::uint8_t* row, bool conjugated, float* to) const
{
    if (d_complex) {
        (d_in == component::i8 ? weigh_complex_i8 : weigh_complex_i16)(
            row, d_coefficients[0].data(), d_width / 2, conjugated ? -1 : 1, to);
    } else {
        (d_in == component::i8 ? weigh_i8 : weigh_i16)(
            row, d_coefficients[conjugated].data(), d_width, to);
    }
}

void window_filter::add_rows(const float* const* rows, bool conjugated, float* to) const
{
    if (d_complex) {
        filter_complex_rows(
            rows, d_coefficients[0].data(), d_taps, d_width / 2, conjugated ? -1 : 1, to);
    } else {
        filter_rows(rows, d_coefficients[conjugated].data(), d_taps, d_width, to);
    }
}

} // namespace gr::fringe::kernels
