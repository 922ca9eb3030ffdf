/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_VDIF_PACKETS_H
#define INCLUDED_FRINGE_IO_VDIF_PACKETS_H

#include "io/packets/index_range.h"
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! What is sent: raw samples of some inputs.
struct vdif_params {
    std::string encoding; //!< of the raw blocks: "ci8", "vdif2", ...
    std::size_t inputs = 0;
    std::size_t files = 1;         //!< sub-blocks of a raw block
    std::size_t block_samples = 0; //!< of each input in an item
    std::size_t frame_bytes =
        0; //!< with the header; 0 = the largest up to 8032 that fits
    std::size_t first_input = 0; //!< the thread of input 0
    unsigned station = 0;
    std::vector<index_range> ranges; //!< of inputs, one an address
};

/*!
 * Makes VDIF frames (release 1.1.1, vlbi.org/vdif), one a packet, of raw sample blocks
 * [file][time][stream]. Every input is a thread of one channel. VDIF counts the frames of a
 * second, so that a whole number of frames must make a second. A frame with a sample that
 * is invalid, or not there, is withheld.
 *
 * Two's complement becomes VDIF's offset binary, which says the same numbers. Where the rate
 * is whole kilohertz (of a complex sample, of a pair of real ones) extension 1 says it.
 */
class FRINGE_API vdif_packets
{
public:
    //! Throws std::invalid_argument.
    explicit vdif_packets(const vdif_params& params);

    //! Chooses the length of the frames. Throws std::invalid_argument where no whole number
    //! of them makes a second. Frames under way are withheld.
    void set_rate(std::uint64_t hertz);
    //! With the header; 0 before set_rate(), unless it was given.
    std::size_t packet_bytes() const { return d_packet_bytes; }
    //! Of one input in a frame; 0 before set_rate(), unless the length was given.
    std::size_t samples() const { return d_samples; }
    const vdif_params& params() const { return d_p; }
    unsigned component_bits() const { return d_bits; }
    bool is_complex() const { return d_complex; }

    //! The next sample is number `sample` of the second `second` (since 1970). Frames under
    //! way are withheld. Throws std::invalid_argument for times that VDIF cannot say.
    void begin(std::uint64_t second, std::uint64_t sample);
    //! Takes samples `from` ... of a raw block as far as there is room; returns how many.
    std::size_t fill(const std::uint8_t* item, std::size_t from, std::size_t count);
    //! Some of the samples that the last fill() took of an input are no good.
    void spoil(std::size_t input) { d_spoilt[input] = true; }
    //! Whether what was taken fills its frames.
    bool complete() const { return d_filled == d_samples; }

    //! Frames that lie behind each other and go to the same address.
    struct run {
        std::size_t range;
        const std::uint8_t* packets;
        std::size_t count;
    };
    //! Finishes the frames. The runs are good until the next call of fill().
    std::vector<run> take();
    //! Frames that were not sent, as samples were lost.
    std::uint64_t withheld() const { return d_withheld; }

private:
    std::size_t sample_bits() const { return d_bits * (d_complex ? 2 : 1); }
    bool fits(std::size_t samples) const;
    void choose_reference(std::uint64_t second);
    void fill_frame(const std::uint8_t* item,
                    std::size_t input,
                    std::size_t from,
                    std::size_t count);
    void write_header(std::uint8_t* to, std::size_t input) const;
    void make_offset_binary(std::uint8_t* payload) const;

    vdif_params d_p;
    unsigned d_bits = 0; //!< of a component
    bool d_complex = false;
    bool d_signed = false; //!< two's complement in the raw blocks
    std::uint64_t d_rate = 0;
    std::size_t d_samples = 0, d_packet_bytes = 0;
    std::vector<std::uint8_t> d_memory;
    std::unique_ptr<bool[]> d_spoilt;        //!< [input]
    std::uint64_t d_reference = 0;           //!< UNIX second of the reference epoch
    unsigned d_half_years = 0;               //!< the number of that epoch
    std::uint64_t d_second = 0, d_frame = 0; //!< of the frames under way
    std::size_t d_filled = 0, d_skipped = 0;
    std::uint64_t d_withheld = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_VDIF_PACKETS_H */
