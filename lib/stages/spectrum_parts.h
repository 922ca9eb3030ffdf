/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_SPECTRUM_PARTS_H
#define INCLUDED_FRINGE_STAGES_SPECTRUM_PARTS_H

#include <cstdint>

namespace gr::fringe {

/*!
 * Spectra without a loss are counted in parts of a spectrum, of which blanked samples take some
 * away. Integers add up to the same number in any order.
 */
constexpr std::uint64_t spectrum_parts = std::uint64_t(1) << 20;

//! A gain of an input that divides products by parts of a spectrum instead of spectra.
constexpr float gain_of_parts = 1.0f / (1 << 10);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_SPECTRUM_PARTS_H */
