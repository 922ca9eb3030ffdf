/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_KRAKEN_FRAME_H
#define INCLUDED_FRINGE_IO_KRAKEN_FRAME_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <optional>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * What stands in front of the samples that a KrakenSDR's Heimdall sends by TCP.
 *
 * A frame is a header and the samples of every channel, channel after channel. Version 1 (port
 * 5000): 1024 bytes, little-endian, laid out as a C compiler of 64 bits does it, and complex
 * float32. Version 2 (port 8091): "MCHQ" and seven more words, big-endian, then frequency and
 * gain of each channel as little-endian float32, and bytes I, Q with their zero at 127.5.
 */
struct FRINGE_API kraken_frame {
    unsigned version = 0;
    std::size_t channels = 0;
    std::uint64_t samples = 0; //!< of each channel
    std::size_t header_bytes = 0;
    std::size_t sample_bytes = 0; //!< 8: float32 I and Q; 2: bytes
    //! What the samples are: "" = data of the antennas, else why they are none.
    std::string left_out;
    double frequency = 0;                     //!< Hz, of channel 0
    double sample_rate = 0;                   //!< Hz; 0 = the header does not say
    std::vector<double> gains;                //!< dB, [channel]; below 0: automatic
    std::uint32_t overdriven = 0;             //!< a bit for each channel
    std::optional<std::int64_t> milliseconds; //!< of the first sample, since 1970 UTC
    //! Counts frames, where the version does: of data, calibration and what is left out.
    std::optional<std::uint32_t> number;
    bool delays_aligned = false, phases_aligned = false;
    std::string hardware;

    std::uint64_t payload_bytes() const { return channels * samples * sample_bytes; }

    //! Bytes of a header whose first bytes these are; as many have to be there as this says.
    static std::size_t bytes_of_header(unsigned version,
                                       const std::uint8_t* bytes,
                                       std::size_t count,
                                       const std::string& who);
    //! Reads a whole header. Throws std::invalid_argument: who, field, value, and what would be
    //! right.
    static kraken_frame read(unsigned version,
                             const std::uint8_t* bytes,
                             std::size_t count,
                             const std::string& who);
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_KRAKEN_FRAME_H */
