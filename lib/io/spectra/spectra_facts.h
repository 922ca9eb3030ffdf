/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_FACTS_H
#define INCLUDED_FRINGE_IO_SPECTRA_FACTS_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::io {

/*!
 * What is the same for all of a recording of spectra: an HDF5 file that docs/formats.md
 * describes.
 */
struct FRINGE_API spectra_facts {
    std::size_t inputs = 0;
    std::size_t channels = 0;
    std::size_t block = 0;           //!< spectra of a block, which is written at a time
    std::size_t bits = 8;            //!< of each component, 8 or 4
    double rate = 0;                 //!< spectra a second
    double frequency = 0;            //!< Hz, the middle of the channels; 0 = not known
    std::size_t packet_channels = 0; //!< channels that get lost together
    std::string time; //!< a remark on the times where the packets have none

    //! Bytes of a block: [channel][input][spectrum] of two int8, real and imaginary part.
    std::size_t block_bytes() const { return 2 * channels * inputs * block; }
    //! Packets that have all channels of a spectrum.
    std::size_t packets() const { return channels / packet_channels; }
    //! Cells that tell what of a block was lost: [packet][input][spectrum].
    std::size_t lost_cells() const { return packets() * inputs * block; }

    //! Throws std::invalid_argument for what cannot be, in a sentence that begins with
    //! `name`.
    void check(const std::string& name) const;
};

//! Where the time of the spectra begins, and where it jumps.
struct spectra_run {
    std::uint64_t second = 0; //!< UNIX time of the first spectrum
    double fraction = 0;      //!< of this second
    double rate = 0;          //!< spectra a second
    double frequency = 0;     //!< Hz, the middle of the channels; 0 = not known
};

//! What the attribute "format" of such a file says.
inline const char* const spectra_format = "gr-fringe recording of spectra";

//! True for a file that says so, whatever it is called; false, too, for one that cannot be
//! read.
FRINGE_API bool is_spectra_file(const std::string& path);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_FACTS_H */
