/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/field_text.h"
#include "kernels/types.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr double speed_of_light = 299792458.0;
constexpr std::size_t rows_together = 32; // so few that the cache holds what they become

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
      d_follows(params.satellite ||
                params.observation.phase_center.frame == phase_center::kind::radec ||
                moving(params.observation)),
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
    const std::vector<double> tracked = tracked_w();
    const double middle =
        d_observation.fringe_stopping ? 0 : d_observation.center_frequency;
    d_phasors.resize(d_frequencies.size() * d_antenna_uvw.size());
    auto out = d_phasors.begin();
    for (const double f : d_frequencies)
        for (std::size_t a = 0; a < d_antenna_uvw.size(); a++) {
            const double w = f * d_antenna_uvw[a][2] - (f - middle) * tracked[a];
            const double turns = std::remainder(w / speed_of_light, 1.0);
            *out++ = std::complex<float>(std::polar(1.0, -2 * M_PI * turns));
        }
}

// What was taken out already: w of each antenna in the direction that was tracked, 0 where
// nothing was. A direction fixed to the ground is not the one of the file, which moves.
std::vector<double> phased_rows::tracked_w() const
{
    std::vector<double> w(d_antenna_uvw.size(), 0.0);
    if (!d_observation.tracking) {
        return w;
    }
    const auto& centre = d_observation.phase_center;
    const bool zenith = centre.frame == phase_center::kind::zenith;
    const auto ground = array::axes_of_azel(
        d_observation, centre.longitude, zenith ? M_PI / 2 : centre.latitude);
    const auto &first = d_observation.antennas[0].itrf, &s = ground.w;
    for (std::size_t a = 0; a < w.size(); a++) {
        const auto& r = d_observation.antennas[a].itrf;
        const double along = (r[0] - first[0]) * s[0] + (r[1] - first[1]) * s[1] +
                             (r[2] - first[2]) * s[2];
        w[a] = d_follows ? d_antenna_uvw[a][2] : d_reversed ? -along : along;
    }
    return w;
}

void phased_rows::make_spectra(const dump& d,
                               std::size_t first,
                               std::size_t count,
                               std::complex<float>* data,
                               float* weight,
                               bool* flag) const
{
    const std::size_t channels = d_frequencies.size();
    const std::size_t ncorr = d_layout.correlations.size();
    const std::size_t antennas = d_antenna_uvw.size();

    // Channels outermost: the dump is read in its own order.
    for (std::size_t c = 0; c < channels; c++) {
        const auto phasors = d_phasors.data() + c * antennas;
        const auto visibilities = d.visibilities.data() + c * d_products;
        const auto weights = d.weights.data() + c * d_products;
        const auto flags = d.flags.empty() ? nullptr : d.flags.data() + c * d_products;
        for (std::size_t r = 0; r < count; r++) {
            const std::size_t place = d_layout.place(d.rows, first + r);
            const auto& row = d_layout.rows[place];
            const auto turn =
                times(phasors[row.antenna1], std::conj(phasors[row.antenna2]));
            const auto products = d_layout.products.data() + place * ncorr;
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
                flag[at + k] = p.bad || !(w > 0) || (flags && flags[p.index] != 0);
            }
        }
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
    const std::size_t values = d_frequencies.size() * d_layout.correlations.size();
    for (std::size_t r = 0; r < count; r += rows_together) {
        const std::size_t at = r * values, rows = std::min(rows_together, count - r);
        make_spectra(d, first + r, rows, data + at, weight + at, flag + at);
    }
    for (std::size_t r = 0; r < count; r++) {
        const auto& row = d_layout.rows[d_layout.place(d.rows, first + r)];
        for (std::size_t k = 0; k < 3; k++)
            uvw[3 * r + k] =
                d_antenna_uvw[row.antenna1][k] - d_antenna_uvw[row.antenna2][k];
    }
}

} // namespace io
} // namespace fringe
} // namespace gr
