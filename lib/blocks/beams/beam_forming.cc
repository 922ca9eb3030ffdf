/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beam_forming.h"
#include "blocks/base/block_checks.h"
#include "blocks/beams/beams_message.h"
#include "blocks/ports/filter_of_spectra.h"
#include "blocks/stages/corrections_message.h"
#include "kernels/base/require.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>

namespace gr::fringe {

namespace {

// No mean is longer.
constexpr std::uint64_t longest = std::uint64_t(1) << 62;

void check_nulls(const std::vector<std::string>& directions,
                 const std::vector<std::string>& nulls)
{
    for (const auto& text : nulls) {
        require(std::find(directions.begin(), directions.end(), text) == directions.end(),
                "beamformer",
                "nulls",
                text,
                "is one of the directions, too; its beam would hear nothing");
    }
}

} // namespace

beam_forming::beam_forming(const beam_setup& setup)
    : d_backend(setup.backend),
      d_p(setup.kernel),
      d_directions(setup.observation),
      d_plan(beam_weights(setup.observation, setup.of),
             d_directions.settings(setup.directions, setup.nulls, setup.amplitudes)),
      d_losses(d_p.beams, d_p.channels, d_p.inputs),
      d_kernel(kernels::make_beamformer(setup.backend, d_p)),
      d_spectra(longest),
      d_frequency(setup.observation.center_frequency)
{
    check_nulls(setup.directions, setup.nulls);
    d_plan.describe(d_frequency, d_gains);
}

kernels::spectra_layout beam_forming::wanted_layout() const
{
    return d_backend.kind == kernels::backend::cuda
               ? kernels::layout_of_items(
                     d_backend, {d_p.inputs, d_p.channels, d_p.block_spectra, d_p.in})
               : kernels::spectra_layout::channel_major;
}

void beam_forming::set_layout(kernels::spectra_layout layout)
{
    if (layout != d_p.layout) {
        d_p.layout = layout;
        d_kernel = kernels::make_beamformer(d_backend, d_p);
        d_plan.restart();
        d_losses.clear();
    }
    d_filter.reset();
}

void beam_forming::point(const std::vector<std::string>& directions,
                         const std::vector<std::string>& nulls,
                         const std::vector<float>& amplitudes,
                         const epoch& from)
{
    check_nulls(directions, nulls);
    d_plan.change(d_directions.settings(directions, nulls, amplitudes), from);
}

bool beam_forming::open_item(const item_tags& tags, const block_streams& streams)
{
    if (tags.elsewhere > 0) {
        throw std::runtime_error("beamformer: several GPUs take these spectra in turn, "
                                 "and beams need all of them on one; let them share "
                                 "channels");
    }
    const bool gap = d_spectra.begin_item(
        tags.start(d_spectra.time()),
        std::min<std::uint64_t>(tags.spectra.value_or(d_p.block_spectra),
                                d_p.block_spectra));
    if (gap) {
        d_plan.restart();
    }
    const bool other = (tags.rx_freq && *tags.rx_freq != d_frequency) ||
                       (!tags.gains.empty() && tags.gains != d_gains);
    if (other) {
        d_frequency = tags.rx_freq.value_or(d_frequency);
        d_gains = tags.gains.empty() ? d_gains : tags.gains;
        d_plan.describe(d_frequency, d_gains);
    }
    d_invalid = tags.invalid;
    d_blanked = tags.blanked;
    if (!d_blanked.empty() && !d_filter) {
        d_filter.emplace(filter_of_spectra(streams, "beamformer", d_p.channels));
    }
    d_lost = tags.lost;
    d_flagged = tags.flagged;
    return gap || other;
}

beamformer_base::beamformer_base(const beam_setup& setup) : d_forming(setup)
{
    add_beams_port(*this, d_logger, [this](const beams_message& m) {
        point(m.directions, m.nulls, m.amplitudes, m.from);
    });
    add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
        d_forming.correct(std::move(c.factors), c.from);
    });
}

void beamformer_base::warn_of_smearing()
{
    if (d_warned) {
        return;
    }
    d_warned = true;
    const std::string sentence =
        smearing(d_forming.spectra().next_time().value_or(epoch()));
    if (!sentence.empty()) {
        d_logger->warn("{:s}", sentence);
    }
}

stream_fields spectra_of_beamformer(const beam_setup& setup)
{
    const auto& p = setup.kernel;
    return {{"inputs", p.inputs},
            {"channels", p.channels},
            {"block_spectra", p.block_spectra},
            {"component", kernels::component_name(p.in)},
            {"complex_samples", setup.of.complex_samples}};
}

int bytes_of_beam_spectra(const kernels::beamformer_params& p)
{
    return item_bytes("beamformer",
                      p.inputs * p.channels * p.block_spectra * 2 *
                          kernels::component_bytes(p.in));
}

} // namespace gr::fringe
