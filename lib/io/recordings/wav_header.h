/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_WAV_HEADER_H
#define INCLUDED_FRINGE_IO_WAV_HEADER_H

#include "io/recordings/input_file.h"
#include <gnuradio/fringe/epoch.h>

namespace gr::fringe::io {

//! The chunks in front of the samples of a WAV file (RIFF, RF64, BW64), and what SDR
//! programs add in a chunk "auxi".
struct wav_header {
    //! Throws damaged_recording.
    explicit wav_header(const input_file& file);

    static bool begins_with(const std::uint8_t* start, std::size_t bytes);

    unsigned format = 0; //!< 1: whole numbers, 3: floats
    unsigned channels = 0;
    double sample_rate = 0;
    unsigned bits = 0;
    unsigned frame_bytes = 0;         //!< of all channels
    std::uint64_t begin = 0, end = 0; //!< bytes of the samples
    std::uint64_t claimed = 0; //!< bytes of samples that the header says; 0 = not given
    bool has_time = false;
    epoch time;           //!< to a second or so; in which time zone is not recorded
    double frequency = 0; //!< Hz; 0 = not recorded

private:
    void read_format(const input_file& file, std::uint64_t at, std::uint64_t bytes);
    void read_auxi(const input_file& file, std::uint64_t at, std::uint64_t bytes);
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_WAV_HEADER_H */
