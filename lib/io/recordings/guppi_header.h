/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_GUPPI_HEADER_H
#define INCLUDED_FRINGE_IO_GUPPI_HEADER_H

#include "io/recordings/input_file.h"
#include <gnuradio/fringe/epoch.h>

namespace gr::fringe::io {

/*!
 * The header of one block of GUPPI raw data: cards of 80 characters as in FITS, ended by
 * END, and with DIRECTIO padded to 512 bytes. Throws std::invalid_argument for samples
 * that cannot be read, damaged_recording for what is no header.
 */
struct guppi_header {
    guppi_header(const input_file& file, std::uint64_t offset);
    //! The keys in which a header of the same recording is not like this one; "" = none.
    std::string unlike(const guppi_header& o) const;
    std::uint64_t block_samples() const
    {
        return block_bytes / (sample_bytes() * channels * antennas);
    }
    //! Of one sample of all polarizations.
    std::size_t sample_bytes() const { return 2 * bits / 8 * polarizations; }

    std::uint64_t bytes = 0;       //!< of the header
    std::uint64_t block_bytes = 0; //!< of the samples
    std::size_t bits = 8;          //!< of a component
    std::size_t antennas = 1;
    std::size_t channels = 0; //!< of an antenna
    std::size_t polarizations = 0;
    std::uint64_t overlap = 0;           //!< samples that the next block begins with
    std::uint64_t packet = 0;            //!< index of the first packet
    std::uint64_t packets_per_block = 0; //!< 0 = not given
    double sample_rate = 0;              //!< Hz
    double center_frequency = 0;         //!< Hz
    double channel_width = 0;            //!< Hz; negative where frequencies go down
    bool has_start_time = false;
    epoch start_time; //!< of packet 0
    std::string telescope;
    std::string source;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_GUPPI_HEADER_H */
