/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_GAPS_H
#define INCLUDED_FRINGE_IO_RECORDING_GAPS_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! What a file has of the samples that are to be read.
struct held_samples {
    std::uint64_t wanted = 0;
    std::uint64_t there = 0; //!< of each stream, on average
    std::uint64_t bytes = 0; //!< of samples in the file
    double rate = 0;         //!< Hz; 0 = not known
};

//! Throws std::invalid_argument (file, samples and time claimed, samples and bytes there, the
//! part that is missing, the flag) where more than nine tenths are missing: recordings that
//! were joined, or a damaged header, claim years. `claimed`: its headers alone do so.
FRINGE_API void
refuse_gaps(const std::string& path, const held_samples& held, bool claimed);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_GAPS_H */
