/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/averaging_writer.h"
#include "array/earth_orientation.h"
#include "array/time_smearing.h"
#include "io/visibilities/selecting_writer.h"
#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/writers.h"
#include "kernels/base/require.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gr::fringe::io {

averaging_writer::averaging_writer(const std::string& path,
                                   const visibility_file_params& params,
                                   std::unique_ptr<visibility_writer> file)
    : d_params(params),
      d_layout(params.observation, path),
      d_file(std::move(file)),
      d_rows(d_params, d_layout, baseline_pairing::first_minus_second),
      d_frequencies(
          params.observation.channel_frequencies(params.channels, params.complex_samples))
{
    const auto& a = params.averaging;
    require(a.loss > 0 && a.loss < 1,
            path,
            "smearing loss",
            a.loss,
            "must lie between 0 and 1");
    require(a.field_radius > 0 && a.field_radius <= 90,
            path,
            "field radius",
            a.field_radius,
            "must be above 0 and at most 90 degrees");
    require(
        a.longest > 0, path, "longest average", a.longest, "must be positive seconds");
    const auto& inputs = params.observation.inputs;
    for (std::size_t i = 0; i < inputs.size(); i++)
        for (std::size_t j = i; j < inputs.size(); j++)
            d_antennas.push_back({inputs[i].antenna, inputs[j].antenna});
    const std::size_t cells = params.channels * d_antennas.size();
    d_sum.resize(cells);
    d_weight.resize(cells);
    d_causes.resize(cells);
    d_out.visibilities.resize(cells);
    d_out.weights.resize(cells);
    d_out.flags.resize(cells);
}

void averaging_writer::plan(double interval)
{
    d_interval = interval;
    d_levels.assign(1, {});
    const auto& a = d_params.averaging;
    const double top = d_frequencies.back() + channel_width(d_params) / 2;
    const double turns = array::turns_of_loss(a.loss);
    for (std::size_t r = 0; r < d_layout.rows.size(); r++) {
        if (!holds(d_params.products, d_layout.rows[r]))
            continue;
        const double rate = array::fringe_rate(d_params.observation,
                                               d_layout.rows[r].antenna1,
                                               d_layout.rows[r].antenna2,
                                               top,
                                               a.field_radius * M_PI / 180);
        const double time = rate * a.longest > turns ? turns / rate : a.longest;
        // A hair more than the quotient: intervals are rounded.
        std::size_t k = 0;
        while (std::ldexp(interval, static_cast<int>(k) + 1) <= time * (1 + 1e-9))
            k++;
        d_levels.resize(std::max(d_levels.size(), k + 1));
        d_levels[k].rows.push_back(static_cast<std::uint32_t>(r));
    }
    const std::size_t correlations = d_layout.correlations.size();
    for (level& l : d_levels) {
        std::set<std::uint32_t> products; // XY and YX of one antenna are the same
        for (const auto r : l.rows)
            for (std::size_t c = 0; c < correlations; c++) {
                const auto& p = d_layout.products[r * correlations + c];
                if (p.exists)
                    products.insert(static_cast<std::uint32_t>(p.index));
            }
        l.products.assign(products.begin(), products.end());
    }
}

void averaging_writer::find_turns(const epoch& center)
{
    const auto& obs = d_params.observation;
    if (!d_has_center || moving(obs)) {
        d_radec = array::phase_center_radec(obs, center);
        d_has_center = true;
    }
    d_rows.begin(array::axes_of_radec(
                     d_radec[0], d_radec[1], center, array::orientation_of(obs, center)),
                 1);
}

std::complex<float> averaging_writer::turn(std::size_t channel,
                                           std::uint32_t product) const
{
    const auto [i, j] = d_antennas[product];
    const auto* turns =
        d_rows.phasors().data() + channel * d_params.observation.antennas.size();
    return turns[i] * std::conj(turns[j]);
}

void averaging_writer::add(const dump& d, level& to)
{
    if (to.dumps == 0) {
        to.start = d.start;
        to.exposure = 0;
    }
    to.dumps++;
    to.exposure += d.exposure;
    for (std::size_t c = 0; c < d_params.channels; c++)
        for (const auto p : to.products) {
            const std::size_t at = c * d_antennas.size() + p;
            const std::uint8_t causes = d.flags.empty() ? 0 : d.flags[at];
            d_causes[at] |= causes;
            if (causes == 0 && d.weights[at] > 0) {
                const auto w = static_cast<float>(d.weights[at] * d.interval);
                d_sum[at] += w * d.visibilities[at] * turn(c, p);
                d_weight[at] += w;
            }
        }
}

// The mean of a level to the file; its sums begin anew.
void averaging_writer::send(level& done)
{
    if (done.dumps == 0 || done.rows.empty())
        return;
    d_out.start = done.start;
    d_out.interval = d_end.seconds_since(done.start);
    d_out.exposure = done.exposure;
    d_out.rows = done.rows;
    find_turns(done.start.plus_seconds(d_out.interval / 2));
    for (std::size_t c = 0; c < d_params.channels; c++)
        for (const auto p : done.products) {
            const std::size_t at = c * d_antennas.size() + p;
            const float w = d_weight[at];
            d_out.visibilities[at] = w > 0 ? d_sum[at] / w * std::conj(turn(c, p)) : 0;
            d_out.weights[at] = static_cast<float>(w / d_out.interval);
            d_out.flags[at] = w > 0 ? 0 : d_causes[at];
            d_sum[at] = 0;
            d_weight[at] = 0;
            d_causes[at] = 0;
        }
    done.dumps = 0;
    d_file->write(d_out);
    d_sent++;
}

void averaging_writer::send_all()
{
    for (level& l : d_levels)
        send(l);
    d_count = 0;
    if (d_whole.empty() || d_whole.back().first < d_taken)
        d_whole.emplace_back(d_taken, d_sent);
    while (d_whole.size() > 1 && d_whole[1].second <= d_file->saved())
        d_whole.pop_front();
}

void averaging_writer::write(const dump& d)
{
    check_dump("averaging", d_params, d);
    const bool follows =
        d_count > 0 && std::abs(d.start.seconds_since(d_end)) < d.interval / 2;
    if (!follows)
        send_all();
    if (d.interval > d_interval * (1 + 1e-6)) {
        send_all();
        plan(d.interval);
    }
    d_end = d.start.plus_seconds(d.interval);
    d_count++;
    find_turns(d.start.plus_seconds(d.interval / 2));
    for (std::size_t k = 1; k < d_levels.size(); k++)
        add(d, d_levels[k]);
    d_taken++;
    if (!d_levels[0].rows.empty()) { // as they are
        dump part = d;
        part.rows = d_levels[0].rows;
        d_file->write(part);
        d_sent++;
    }
    for (std::size_t k = 1; k < d_levels.size(); k++)
        if (d_count % (std::uint64_t(1) << k) == 0)
            send(d_levels[k]);
    if (d_count % (std::uint64_t(1) << (d_levels.size() - 1)) == 0)
        send_all();
}

std::uint64_t averaging_writer::saved() const
{
    std::uint64_t dumps = 0;
    for (const auto& [taken, sent] : d_whole)
        if (sent <= d_file->saved())
            dumps = taken;
    return dumps;
}

void averaging_writer::finish()
{
    send_all();
    d_file->finish();
}

void averaging_writer::abandon()
{
    try {
        send_all();
    } catch (const std::exception&) {
        // The file cannot take it; what it has is left.
    }
    d_file->abandon();
}

} // namespace gr::fringe::io
