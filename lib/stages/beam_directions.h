/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BEAM_DIRECTIONS_H
#define INCLUDED_FRINGE_STAGES_BEAM_DIRECTIONS_H

#include "stages/beam_weights.h"

namespace gr::fringe {

//! Makes the delays of beams from what a user writes as their directions.
class FRINGE_API beam_directions
{
public:
    explicit beam_directions(const observation& obs);

    //! The delays that the F-engine of this observation takes out; null where it tracks none.
    tracking::sptr reference() const;
    //! Settings of beams towards directions: what phase_center::from_text() takes, or
    //! "satellite=FILE". Throws std::invalid_argument.
    beam_settings settings(const std::vector<std::string>& directions,
                           const std::vector<std::string>& nulls,
                           const std::vector<float>& amplitudes) const;

private:
    tracking::sptr towards(const std::string& text, const char* name, bool& moving) const;

    observation d_obs; // without cables, which are the corrections' or the F-engine's
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BEAM_DIRECTIONS_H */
