/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_LOST_BEAMS_H
#define INCLUDED_FRINGE_STAGES_LOST_BEAMS_H

#include "stages/invalid_run.h"
#include <complex>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

//! Runs of spectra of an item of `spectra` in which all inputs are invalid that a beam hears,
//! by the number of the beam. weights [beam][channel][input].
FRINGE_API std::vector<invalid_run>
lost_beams(const std::vector<invalid_run>& invalid,
           std::uint64_t spectra,
           const std::vector<std::complex<float>>& weights,
           std::size_t beams,
           std::size_t inputs);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_LOST_BEAMS_H */
