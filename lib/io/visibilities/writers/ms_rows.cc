/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/ms_rows.h"
#include <cmath>

namespace gr::fringe::io {

ms_rows::ms_rows(const visibility_file_params& params, const baseline_layout& layout)
    : d_rows(params, layout, baseline_pairing::first_minus_second),
      d_correlations(layout.correlations.size()),
      d_channels(params.channels),
      d_channel_width(channel_width(params))
{
}

void ms_rows::begin(const dump& d, const array::uvw_axes& axes)
{
    d_rows.begin(axes, d.interval * d_channel_width);
}

void ms_rows::make(const dump& d, std::size_t first, std::size_t count)
{
    if (data.nplane() != count) {
        data.resize(d_correlations, d_channels, count);
        weight_spectrum.resize(d_correlations, d_channels, count);
        flag.resize(d_correlations, d_channels, count);
        weight.resize(d_correlations, count);
        sigma.resize(d_correlations, count);
        uvw.resize(3, count);
        flag_row.resize(count);
    }
    d_rows.make(
        d, first, count, data.data(), weight_spectrum.data(), flag.data(), uvw.data());
    summarize(count);
}

void ms_rows::summarize(std::size_t count)
{
    weight = 0;
    flag_row = true;
    const float* weights = weight_spectrum.data();
    const bool* flags = flag.data();
    for (std::size_t r = 0; r < count; r++) {
        float* sums = weight.data() + r * d_correlations;
        bool& all_flagged = flag_row.data()[r];
        for (std::size_t c = 0; c < d_channels; c++)
            for (std::size_t k = 0; k < d_correlations; k++) {
                sums[k] += *weights++;
                all_flagged = *flags++ && all_flagged;
            }
    }
    for (std::size_t n = 0; n < count * d_correlations; n++) {
        float& sum = weight.data()[n];
        sum /= static_cast<float>(d_channels);
        sigma.data()[n] = sum > 0 ? 1 / std::sqrt(sum) : 1.0f;
    }
}

} // namespace gr::fringe::io
