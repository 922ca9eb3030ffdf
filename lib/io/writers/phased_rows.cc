/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/writers/phased_rows.h"
#include "kernels/types.h"
#include <cmath>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr double speed_of_light = 299792458.0;

// The plain product: the operator looks into every NaN, and those are dropped here
// anyway.
std::complex<float> times(std::complex<float> a, std::complex<float> b)
{
    return {a.real() * b.real() - a.imag() * b.imag(),
            a.real() * b.imag() + a.imag() * b.real()};
}

} // namespace

double channel_width(const visibility_file_params& params)
{
    const double band = params.observation.sample_rate / (params.complex_samples ? 1 : 2);
    return band / static_cast<double>(params.channels);
}

phased_rows::phased_rows(const visibility_file_params& params,
                         const baseline_layout& layout,
                         baseline_pairing pairing)
    : d_layout(layout),
      d_observation(params.observation),
      d_frequencies(params.observation.channel_frequencies(params.channels,
                                                           params.complex_samples)),
      d_products(kernels::baselines(params.observation.inputs.size())),
      d_reversed(pairing == baseline_pairing::second_minus_first)
{
}

void phased_rows::begin(const array::uvw_axes& axes, double full_weight)
{
    d_full_weight = full_weight;
    d_antenna_uvw = array::antenna_uvw(d_observation, axes);
    // Seen from the first antenna: the radius of the Earth would only cost digits.
    const auto origin = d_antenna_uvw[0];
    for (auto& r : d_antenna_uvw)
        for (std::size_t k = 0; k < 3; k++)
            r[k] = d_reversed ? origin[k] - r[k] : r[k] - origin[k];
    d_phasors.resize(d_frequencies.size() * d_antenna_uvw.size());
    auto out = d_phasors.begin();
    for (const double f : d_frequencies)
        for (const auto& r : d_antenna_uvw) {
            const double turns = std::remainder(f * r[2] / speed_of_light, 1.0);
            *out++ = std::complex<float>(std::polar(1.0, -2 * M_PI * turns));
        }
}

void phased_rows::make(const dump& d,
                       std::size_t first,
                       std::size_t count,
                       std::complex<float>* data,
                       float* weight,
                       bool* flag,
                       double* uvw) const
{
    const std::size_t channels = d_frequencies.size();
    const std::size_t ncorr = d_layout.correlations.size();
    const std::size_t antennas = d_antenna_uvw.size();

    // Channels outermost: the dump is read in its own order.
    for (std::size_t c = 0; c < channels; c++) {
        const auto phasors = d_phasors.data() + c * antennas;
        const auto visibilities = d.visibilities.data() + c * d_products;
        const auto weights = d.weights.data() + c * d_products;
        for (std::size_t r = 0; r < count; r++) {
            const auto& row = d_layout.rows[first + r];
            const auto turn =
                times(phasors[row.antenna1], std::conj(phasors[row.antenna2]));
            const auto products = d_layout.products.data() + (first + r) * ncorr;
            const std::size_t at = (r * channels + c) * ncorr;
            for (std::size_t k = 0; k < ncorr; k++) {
                const auto& p = products[k];
                std::complex<float> v = 0;
                float w = 0;
                if (p.exists && weights[p.index] > 0) {
                    v = visibilities[p.index];
                    w = static_cast<float>(weights[p.index] * d_full_weight);
                    v = times(p.conjugate != d_reversed ? std::conj(v) : v, turn);
                    if (!std::isfinite(v.real()) || !std::isfinite(v.imag()))
                        v = w = 0;
                }
                data[at + k] = v;
                weight[at + k] = w;
                flag[at + k] = p.bad || !(w > 0);
            }
        }
    }

    for (std::size_t r = 0; r < count; r++) {
        const auto& row = d_layout.rows[first + r];
        for (std::size_t k = 0; k < 3; k++)
            uvw[3 * r + k] =
                d_antenna_uvw[row.antenna1][k] - d_antenna_uvw[row.antenna2][k];
    }
}

} // namespace io
} // namespace fringe
} // namespace gr
