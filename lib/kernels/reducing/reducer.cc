/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/reducing/reducer.h"
#include <algorithm>
#include <gnuradio/fringe/flags.h>

namespace gr::fringe::kernels {

reducer::reducer(const dump_axes& axes)
    : d_axes(axes),
      d_selects_only(axes.selection.average == 1 && axes.terms()[0].size() == 1),
      d_sum(axes.baselines.size()),
      d_weight(axes.baselines.size()),
      d_causes(axes.baselines.size())
{
    const array::band_channels band(
        axes.received_observation(), axes.received_channels(), axes.complex_samples());
    if (axes.selection.average > 1) {
        d_left_out.edge = axes.selection.keep_edge ? std::nullopt : band.edge;
        d_left_out.dc = axes.selection.flag_dc ? band.dc : std::nullopt;
    }
}

void reducer::reduce(const dump_cells& in, dump_cells& out)
{
    const std::size_t products = d_axes.baselines.size();
    const std::size_t cells = d_axes.frequencies.size() * products;
    out.visibilities.resize(cells);
    out.weights.resize(cells);
    out.flags.resize(cells);
    if (d_selects_only) {
        select(in, out);
        return;
    }
    const auto& s = d_axes.selection;
    for (std::size_t m = 0; m < d_axes.frequencies.size(); ++m) {
        std::fill(d_sum.begin(), d_sum.end(), 0);
        std::fill(d_weight.begin(), d_weight.end(), 0);
        std::fill(d_causes.begin(), d_causes.end(), 0);
        for (std::size_t k = 0; k < s.average; ++k) {
            add_channel(in, s.first_channel + m * s.average + k);
        }
        finish_channel(out, m);
    }
}

void reducer::add_channel(const dump_cells& in, std::size_t channel)
{
    const std::size_t row = channel * d_axes.received_products();
    const bool left_out = channel == d_left_out.edge || channel == d_left_out.dc;
    for (std::size_t b = 0; b < d_sum.size(); ++b) {
        std::complex<double> v = 0;
        double inverse = 0;
        std::uint8_t causes = left_out ? bit(flag::band) : 0;
        for (const auto& t : d_axes.terms()[b]) {
            const std::size_t at = row + t.product;
            const std::complex<double> value(in.visibilities[at]);
            causes |= in.flags.empty() ? 0 : in.flags[at];
            if (!(in.weights[at] > 0)) {
                causes |= bit(flag::lost);
            }
            v += (t.conjugate ? std::conj(value) : value) * t.factor;
            inverse += 1.0 / in.weights[at];
        }
        if (causes) {
            d_causes[b] |= causes;
        } else {
            const double w = static_cast<double>(d_axes.terms()[b].size()) / inverse;
            d_sum[b] += w * v;
            d_weight[b] += w;
        }
    }
}

void reducer::finish_channel(dump_cells& out, std::size_t channel)
{
    const auto n = static_cast<double>(d_axes.selection.average);
    for (std::size_t b = 0; b < d_sum.size(); ++b) {
        const std::size_t at = channel * d_sum.size() + b;
        const bool some = d_weight[b] > 0;
        out.visibilities[at] =
            some ? std::complex<float>(d_sum[b] / d_weight[b]) : std::complex<float>(0);
        out.weights[at] = static_cast<float>(d_weight[b] / n);
        out.flags[at] = some ? 0 : d_causes[b];
    }
}

void reducer::select(const dump_cells& in, dump_cells& out) const
{
    std::size_t at = 0;
    for (std::size_t m = 0; m < d_axes.frequencies.size(); ++m) {
        const std::size_t row =
            (d_axes.selection.first_channel + m) * d_axes.received_products();
        for (const auto& terms : d_axes.terms()) {
            const std::size_t from = row + terms[0].product;
            const auto v = in.visibilities[from];
            out.visibilities[at] = terms[0].conjugate ? std::conj(v) : v;
            out.weights[at] = in.weights[from];
            const std::uint8_t lost = in.weights[from] > 0 ? 0 : bit(flag::lost);
            out.flags[at++] = (in.flags.empty() ? 0 : in.flags[from]) | lost;
        }
    }
}

} // namespace gr::fringe::kernels
