/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_directions.h"

namespace gr::fringe {

namespace {

const std::string satellite = "satellite=";

} // namespace

beam_directions::beam_directions(const observation& obs) : d_obs(obs)
{
    for (input& in : d_obs.inputs) {
        in.cable_delay = 0;
    }
}

tracking::sptr beam_directions::reference() const
{
    return d_obs.tracking ? tracking::make(d_obs, d_obs.fringe_stopping) : nullptr;
}

// Spectra that are not shifted have the delays of one instant.
tracking::sptr
beam_directions::towards(const std::string& text, const char* name, bool& moving) const
{
    const bool same_instant = !d_obs.tracking;
    if (text.rfind(satellite, 0) == 0) {
        moving = true;
        return tracking::make_satellite(
            d_obs, text.substr(satellite.size()), true, 1, same_instant);
    }
    observation there = d_obs;
    there.phase_center = phase_center::from_text(text, name);
    const auto frame = there.phase_center.frame;
    moving =
        moving || frame == phase_center::kind::radec || frame == phase_center::kind::body;
    return tracking::make(there, true, 1, same_instant);
}

beam_settings beam_directions::settings(const std::vector<std::string>& directions,
                                        const std::vector<std::string>& nulls,
                                        const std::vector<float>& amplitudes) const
{
    beam_settings s;
    for (const auto& text : directions) {
        s.directions.push_back(towards(text, "beamformer: directions", s.moving));
    }
    for (const auto& text : nulls) {
        s.nulls.push_back(towards(text, "beamformer: nulls", s.moving));
    }
    s.amplitudes = amplitudes;
    return s;
}

} // namespace gr::fringe
