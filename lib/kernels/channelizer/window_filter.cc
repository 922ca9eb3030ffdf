/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/window_filter.h"
#include "kernels/channelizer/filter_rows.h"
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

//! A line more than needed, lest rows fall on the same lines of the cache.
std::size_t stride_of(std::size_t width)
{
    constexpr std::size_t line = 64 / sizeof(float);
    return (width + line - 1) / line * line + line;
}

//! Windows of one tap have no samples in common: they are made one by one, as those are whose
//! memory, of each thread, would be too much.
std::size_t windows_together(unsigned taps, std::size_t stride)
{
    constexpr std::size_t max_bytes = std::size_t(8) << 20;
    return taps > 1 && filter_together * stride * sizeof(float) <= max_bytes
               ? filter_together
               : 1;
}

} // namespace

window_filter::window_filter(const channelizer_params& p, bool apart)
    : d_in(p.in),
      d_complex(p.complex_samples),
      d_taps(p.taps),
      d_apart(apart && (p.in == component::f32 || p.taps > 1)), // weigh() stores in order
      d_width(p.points() * (p.complex_samples ? 2 : 1)),
      d_sample(component_bytes(p.in) * (p.complex_samples ? 2 : 1)),
      d_stride(stride_of(d_width)),
      d_together(windows_together(p.taps, d_stride)),
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
    return {aligned_vector<float>(converted ? (d_taps - 1 + d_together) * d_stride : 0),
            aligned_vector<float>(d_together * d_stride),
            d_stride};
}

// Integer rows are converted once, when a window reaches them, into a ring of the rows of as
// many windows as are made together.
void window_filter::fold(const sample_history& past,
                         const windows& w,
                         const std::uint8_t* in,
                         workspace& space) const
{
    const bool conjugated = d_conjugate[w.i] != 0;
    const auto row_of = [&](std::size_t row) {
        const auto shift = w.shift * static_cast<std::ptrdiff_t>(d_sample);
        return past.shifted_row(w.i, w.s + row, shift, in);
    };
    if (d_taps == 1 && d_in != component::f32) {
        weigh(row_of(0), conjugated, space.folded.data()); // together() is 1
        return;
    }
    std::array<const float*, max_taps - 1 + filter_together> rows;
    for (std::size_t row = 0; row < d_taps - 1 + w.count; row++) {
        if (d_in == component::f32) {
            rows[row] = reinterpret_cast<const float*>(row_of(row));
            continue;
        }
        const auto slot =
            space.ring.data() + (w.s + row) % (d_taps - 1 + d_together) * d_stride;
        if (w.anew || row >= d_taps - 1) {
            (d_in == component::i8 ? widen_i8 : widen_i16)(row_of(row), d_width, slot);
        }
        rows[row] = slot;
    }
    filter_rows({rows.data(),
                 d_complex,
                 conjugated,
                 d_coefficients[conjugated && !d_complex].data(),
                 d_taps,
                 d_complex ? d_width / 2 : d_width,
                 space.folded.data(),
                 d_stride,
                 w.count,
                 d_apart});
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

} // namespace gr::fringe::kernels
