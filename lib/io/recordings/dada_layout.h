/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_DADA_LAYOUT_H
#define INCLUDED_FRINGE_IO_DADA_LAYOUT_H

#include "io/recordings/coarse_channels.h"
#include "io/recordings/dada_header.h"
#include "io/recordings/sample_order.h"

namespace gr::fringe::io {

//! What the header of a PSRDADA file says of its samples.
class dada_layout
{
public:
    //! Throws std::invalid_argument for a value of a key that cannot be read, and
    //! damaged_recording for keys that contradict each other.
    explicit dada_layout(const dada_header& header);

    std::size_t streams() const { return d_channels * d_antennas * d_polarizations; }
    const std::string& encoding() const { return d_encoding; }
    bool big_endian() const { return d_big_endian; }
    double sample_rate() const { return d_rate; } //!< Hz; 0 = not recorded
    //! Coarse channels, whose streams are [antenna][polarization].
    coarse_channels bands(const dada_header& header) const;
    //! Where the streams of channels lie, [channel][antenna][polarization].
    sample_order order(std::size_t first_channel, std::size_t channels) const;
    //! For a person.
    std::string remark() const;

private:
    void check_keys(const dada_header& header) const;
    void read_order(const dada_header& header);
    void read_heaps(const dada_header& header);
    [[noreturn]] void refuse_order(const dada_header& header) const;
    std::size_t& step_of(char axis);
    std::size_t size_of(char axis) const;
    void check_rate(const dada_header& header) const;

    std::size_t d_channels, d_antennas, d_polarizations;
    std::string d_encoding;
    bool d_big_endian = false;
    double d_rate = 0;
    bool d_heaps = false; // of MeerKAT's beamformer
    std::size_t d_step_channel = 0, d_step_antenna = 0, d_step_polarization = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_DADA_LAYOUT_H */
