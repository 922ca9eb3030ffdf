/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/reducing/dump_bins.h"
#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::kernels {

std::vector<phase_gate> phase_gates(std::size_t bins, const std::vector<double>& list)
{
    std::vector<phase_gate> gates;
    if (list.size() % 2 != 0) {
        throw std::invalid_argument("dump_binner: gates: " + std::to_string(list.size()) +
                                    " numbers: must be from, to, from, to, ... in turns");
    }
    for (std::size_t k = 0; k < list.size(); k += 2) {
        const phase_gate g{list[k], list[k + 1]};
        if (!(g.from >= 0 && g.from < 1 && g.to > g.from && g.to <= g.from + 1)) {
            std::ostringstream s;
            s << "dump_binner: gates: " << g.from << " to " << g.to
              << ": must be 0 <= from < 1 and from < to <= from + 1, in turns";
            throw std::invalid_argument(s.str());
        }
        gates.push_back(g);
    }
    if (list.empty()) {
        if (bins == 0) {
            throw std::invalid_argument("dump_binner: bins: 0: must be at least 1");
        }
        const auto n = static_cast<double>(bins);
        for (std::size_t b = 0; b < bins; ++b) {
            const auto from = static_cast<double>(b);
            gates.push_back({from / n, (from + 1) / n});
        }
    }
    return gates;
}

dump_bins::dump_bins(const dump_axes& axes,
                     const pulse_phase& phase,
                     std::vector<phase_gate> gates,
                     double dispersion)
    : d_channels(axes.frequencies.size()),
      d_products(axes.baselines.size()),
      d_phase(phase),
      d_gates(std::move(gates)),
      d_delays(d_channels, 0),
      d_bins(d_gates.size())
{
    const auto& f = axes.frequencies;
    if (dispersion != 0) {
        if (!(f[0] > 0)) {
            throw std::invalid_argument(
                "dump_binner: dispersion: needs channels of positive frequency; the "
                "lowest of the observation's is " +
                std::to_string(f[0]) + " Hz");
        }
        const double middle = phase.frequency() > 0 ? phase.frequency() : f[f.size() / 2];
        const auto delay = [&](double hz) {
            return dispersion / 2.41e-4 / (hz / 1e6) / (hz / 1e6);
        };
        for (std::size_t c = 0; c < d_channels; ++c) {
            d_delays[c] = delay(f[c]) - delay(middle);
        }
    }
    for (bin& b : d_bins) {
        b.sum.resize(d_channels * d_products);
        b.weight.resize(d_channels * d_products);
    }
}

void dump_bins::add(const dump_cells& d,
                    const epoch& middle,
                    double interval,
                    double exposure)
{
    double delay = 0, fraction = d_phase.at(middle).fraction;
    for (std::size_t c = 0; c < d_channels; ++c) {
        if (d_delays[c] != delay) {
            delay = d_delays[c];
            fraction = d_phase.at(middle.plus_seconds(-delay)).fraction;
        }
        for (std::size_t g = 0; g < d_gates.size(); ++g) {
            if (d_gates[g].holds(fraction)) {
                add_channel(d, c, interval, d_bins[g]);
                d_bins[g].exposure += exposure / static_cast<double>(d_channels);
            }
        }
    }
}

void dump_bins::add_channel(const dump_cells& d,
                            std::size_t c,
                            double interval,
                            bin& to) const
{
    for (std::size_t at = c * d_products; at < (c + 1) * d_products; ++at) {
        if (d.weights[at] > 0 && (d.flags.empty() || d.flags[at] == 0)) {
            const double w = d.weights[at] * interval;
            to.sum[at] += w * std::complex<double>(d.visibilities[at]);
            to.weight[at] += w;
        }
    }
}

void dump_bins::mean(std::size_t gate,
                     double interval,
                     std::complex<float>* visibilities,
                     float* weights) const
{
    const bin& b = d_bins[gate];
    for (std::size_t at = 0; at < b.sum.size(); ++at) {
        const double w = b.weight[at];
        visibilities[at] = w > 0 ? std::complex<float>(b.sum[at] / w) : 0;
        weights[at] = w > 0 ? static_cast<float>(w / interval) : 0;
    }
}

void dump_bins::clear()
{
    for (bin& b : d_bins) {
        std::fill(b.sum.begin(), b.sum.end(), 0);
        std::fill(b.weight.begin(), b.weight.end(), 0);
        b.exposure = 0;
    }
}

} // namespace gr::fringe::kernels
