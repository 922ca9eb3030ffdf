/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_FLAGS_H
#define INCLUDED_FRINGE_FLAGS_H

#include <cstdint>

namespace gr::fringe {

//! Why a visibility must not be used: bits of the flags that travel beside a dump, one
//! byte a visibility, [channel][baseline]. 0 = good.
enum class flag : std::uint8_t {
    lost = 1,       //!< no valid sample went into it (its weight is 0)
    bad_input = 2,  //!< an input that the observation names as bad
    mask = 4,       //!< a band or time that the user named
    kurtosis = 8,   //!< spectral kurtosis found too little left of it
    power = 16,     //!< a station's or the whole array's power stood out
    median = 32,    //!< stood out from its neighbors in time and frequency
    threshold = 64, //!< found by SumThreshold, or next to what was (dilation)
    band = 128      //!< of the channel that holds both edges of the band, or its DC
};

constexpr std::uint8_t bit(flag f) { return static_cast<std::uint8_t>(f); }

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_FLAGS_H */
