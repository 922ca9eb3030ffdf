/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/field_text.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::fringe::io {

namespace {

constexpr double speed_of_light = 299792458.0;
constexpr std::size_t rows_of_a_task = 64;
constexpr float largest = std::numeric_limits<float>::max(); // a finite number

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
      d_reversed(pairing == baseline_pairing::second_minus_first),
      d_padded((d_frequencies.size() + together - 1) / together * together),
      d_workers(kernels::workers::shared())
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
    d_real.resize(d_antenna_uvw.size() * d_padded);
    d_imag.resize(d_real.size());
    for (std::size_t c = 0; c < d_frequencies.size(); c++)
        for (std::size_t a = 0; a < d_antenna_uvw.size(); a++) {
            const auto& phasor = d_phasors[c * d_antenna_uvw.size() + a];
            d_real[a * d_padded + c] = phasor.real();
            d_imag[a * d_padded + c] = phasor.imag();
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
    const auto& center = d_observation.phase_center;
    const bool zenith = center.frame == phase_center::kind::zenith;
    const auto ground = array::axes_of_azel(
        d_observation, center.longitude, zenith ? M_PI / 2 : center.latitude);
    const auto &first = d_observation.antennas[0].itrf, &s = ground.w;
    for (std::size_t a = 0; a < w.size(); a++) {
        const auto& r = d_observation.antennas[a].itrf;
        const double along = (r[0] - first[0]) * s[0] + (r[1] - first[1]) * s[1] +
                             (r[2] - first[2]) * s[2];
        w[a] = d_follows ? d_antenna_uvw[a][2] : d_reversed ? -along : along;
    }
    return w;
}

phased_rows::turns phased_rows::turns_of(const baseline_layout::row& row,
                                         std::size_t channel) const
{
    const std::size_t a = row.antenna1 * d_padded + channel;
    const std::size_t b = row.antenna2 * d_padded + channel;
    turns t;
    for (std::size_t j = 0; j < together; j++) {
        t.real[j] = d_real[a + j] * d_real[b + j] + d_imag[a + j] * d_imag[b + j];
        t.imag[j] = d_imag[a + j] * d_real[b + j] - d_real[a + j] * d_imag[b + j];
    }
    return t;
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
    // A few channels at a time: the dump is read in its own order, and what becomes of it
    // is written in whole cache lines, as those of two rows lie far apart.
    for (std::size_t c = 0; c < channels; c += together) {
        for (std::size_t r = 0; r < count; r++) {
            const std::size_t place = d_layout.place(d.rows, first + r);
            const turns t = turns_of(d_layout.rows[place], c);
            for (std::size_t k = 0; k < ncorr; k++) {
                const std::size_t at = (r * channels + c) * ncorr + k;
                make_cells(d,
                           d_layout.products[place * ncorr + k],
                           t,
                           c,
                           data + at,
                           weight + at,
                           flag + at);
            }
        }
    }
}

void phased_rows::make_cells(const dump& d,
                             const baseline_layout::product& p,
                             const turns& t,
                             std::size_t channel,
                             std::complex<float>* data,
                             float* weight,
                             bool* flag) const
{
    const std::size_t count = std::min(together, d_frequencies.size() - channel);
    const std::size_t from = channel * d_products + p.index;
    const float sign = p.conjugate != d_reversed ? -1 : 1;
    const float exists = p.exists ? 1 : 0;
    const std::size_t ncorr = d_layout.correlations.size();
    const std::size_t step = d_products;
    const double full_weight = d_full_weight;
    const auto visibilities = d.visibilities.data() + from;
    const auto weights = d.weights.data() + from;
    for (std::size_t j = 0; j < count; j++) {
        const float re = visibilities[j * step].real();
        const float im = sign * visibilities[j * step].imag();
        const float valid = exists * weights[j * step];
        const float x = re * t.real[j] - im * t.imag[j];
        const float y = re * t.imag[j] + im * t.real[j];
        // Without branches, as nobody can foretell which cells are good.
        const bool small_x = std::abs(x) <= largest, small_y = std::abs(y) <= largest;
        const bool good = (valid > 0) & small_x & small_y;
        data[j * ncorr] = {good ? x : 0, good ? y : 0};
        weight[j * ncorr] = static_cast<float>((good ? valid : 0) * full_weight);
        flag[j * ncorr] = p.bad | !(weight[j * ncorr] > 0);
    }
    if (!d.flags.empty() && p.exists)
        for (std::size_t j = 0; j < count; j++)
            flag[j * ncorr] |= d.flags[from + j * d_products] != 0;
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
    const std::size_t tasks = (count + rows_of_a_task - 1) / rows_of_a_task;
    d_workers->run(tasks, [&](std::size_t k, unsigned) {
        const std::size_t r = k * rows_of_a_task, at = r * values;
        const std::size_t rows = std::min(rows_of_a_task, count - r);
        make_spectra(d, first + r, rows, data + at, weight + at, flag + at);
    });
    for (std::size_t r = 0; r < count; r++) {
        const auto& row = d_layout.rows[d_layout.place(d.rows, first + r)];
        for (std::size_t k = 0; k < 3; k++)
            uvw[3 * r + k] =
                d_antenna_uvw[row.antenna1][k] - d_antenna_uvw[row.antenna2][k];
    }
}

} // namespace gr::fringe::io
