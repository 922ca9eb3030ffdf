/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_INVALID_RUN_H
#define INCLUDED_FRINGE_STAGES_INVALID_RUN_H

#include <cstddef>
#include <cstdint>

namespace gr::fringe {

//! A run of steps (samples or spectra) of one input within an item that must not be used.
struct invalid_run {
    std::size_t input;
    std::uint64_t first;
    std::uint64_t count;
};

//! A run of spectra within an item that must not be used in some channels of some inputs,
//! as their packets did not come.
struct lost_spectra {
    std::size_t input, inputs;
    std::size_t channel, channels;
    std::uint64_t first;
    std::uint64_t count;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_INVALID_RUN_H */
