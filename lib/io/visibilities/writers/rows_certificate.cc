/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/rows_certificate.h"

namespace gr::fringe::io {

rows_certificate::rows_certificate(const visibility_file_params& params,
                                   const baseline_layout& layout,
                                   bool conjugated)
    : text(params.history), d_params(params), d_layout(layout)
{
    text.set_source(params.observation.phase_center.name, conjugated);
}

void rows_certificate::count(const dump& d,
                             std::size_t first,
                             std::size_t count,
                             const std::complex<float>* data,
                             const float* weight,
                             const bool* flag,
                             double full_weight)
{
    const std::size_t hands = d_layout.correlations.size();
    const std::size_t cells = d_params.channels * hands;
    text.count(flag, weight, count * cells, full_weight);
    if (d_params.observation.phase_center.name.empty())
        return;
    for (std::size_t r = 0; r < count; r++) {
        const auto& row = d_layout.rows[d_layout.place(d.rows, first + r)];
        if (row.antenna1 == row.antenna2)
            continue;
        // The first and the last correlation are those of one polarization.
        text.look(data + r * cells, flag + r * cells, cells, hands);
        if (hands > 1)
            text.look(data + r * cells + hands - 1,
                      flag + r * cells + hands - 1,
                      cells - hands + 1,
                      hands);
    }
}

} // namespace gr::fringe::io
