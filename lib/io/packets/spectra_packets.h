/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_PACKETS_H
#define INCLUDED_FRINGE_IO_SPECTRA_PACKETS_H

#include "io/packets/index_range.h"
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! What is sent: spectra of some inputs, as a channelizer makes them.
struct spectra_params {
    std::string layout = "spead"; //!< or "snap2"
    std::size_t inputs = 0;
    std::size_t channels = 0;
    std::size_t block_spectra = 0;   //!< in an item
    unsigned bits = 8;               //!< of a component on the wire: 8 or 4
    std::size_t points = 0;          //!< samples from one spectrum to the next
    std::size_t packet_channels = 0; //!< in a packet; 0 = as many as fit into 8 KiB
    std::size_t spectra = 0;         //!< in a packet; 0 = as usual
    std::size_t first_input = 0;     //!< the number of input 0 in the whole array
    std::size_t all_inputs = 0;      //!< of the whole array; 0 = these
    std::size_t first_channel = 0;   //!< the number of channel 0
    std::vector<index_range> ranges; //!< of channels, one an address
};

/*!
 * Makes packets of spectra: [channel][input][time] as a channelizer gives them become what
 * an F-engine sends. A packet with a spectrum that is invalid, or not there, is withheld.
 *
 *     spead   MeerKAT's F-engines: SPEAD heaps, one of every antenna (two inputs) and range,
 *             [channel][spectrum][polarization]; every packet has all items
 *     snap2   SNAP2 boards of OVRO-LWA: a spectrum, [channel][input]
 */
class FRINGE_API spectra_packets
{
public:
    //! Throws std::invalid_argument.
    explicit spectra_packets(const spectra_params& params);

    std::size_t packet_bytes() const { return d_packet_bytes; }
    //! Channels and spectra in a packet.
    const spectra_params& params() const { return d_p; }
    //! Packets that a spectrum takes, on average.
    double packets_a_spectrum() const;

    //! The next spectrum has this number since the synchronization. Packets under way are
    //! withheld.
    void begin(std::uint64_t spectrum);
    //! Takes spectra `from` ... of an item as far as there is room; returns how many.
    std::size_t fill(const std::int8_t* item, std::size_t from, std::size_t count);
    //! Spectra of an input are no good: counted from those that the last fill() took.
    void spoil(std::size_t input, std::size_t first, std::size_t count);
    //! Whether what was taken fills its packets.
    bool complete() const { return d_filled > 0 && d_filled % d_p.spectra == 0; }

    //! Packets that lie behind each other and go to the same address.
    struct run {
        std::size_t range;
        const std::uint8_t* packets;
        std::size_t count;
    };
    //! Writes the headers. The runs are good until the next call of fill(). `synchronized`:
    //! UNIX second; `offset`: samples from it to the first spectrum.
    std::vector<run> take(std::uint64_t synchronized, std::uint64_t offset);
    //! Packets that were not sent, as their spectra were lost.
    std::uint64_t withheld() const { return d_withheld; }

private:
    std::uint8_t*
    packet(std::size_t range, std::size_t group, std::size_t source, std::size_t block);
    std::size_t packets_a_source() const;
    void fill_channel(const std::int8_t* item,
                      std::size_t from,
                      std::size_t range,
                      std::size_t source,
                      std::size_t channel);
    void write_header(std::uint8_t* to,
                      std::size_t range,
                      std::uint64_t spectrum,
                      std::size_t source,
                      std::size_t block,
                      std::uint64_t synchronized,
                      std::uint64_t offset) const;
    void write_snap2(std::uint8_t* to,
                     std::size_t range,
                     std::uint64_t spectrum,
                     std::size_t block,
                     std::uint64_t synchronized) const;
    void write_spead(std::uint8_t* to,
                     std::size_t range,
                     std::uint64_t spectrum,
                     std::size_t source,
                     std::size_t block,
                     std::uint64_t offset) const;
    bool& spoilt(std::size_t group, std::size_t source)
    {
        return d_spoilt[group * d_sources + source];
    }

    spectra_params d_p;
    bool d_snap2 = false;
    std::size_t d_sources = 0; //!< that have packets of their own
    std::size_t d_streams = 0; //!< inputs of a source
    std::size_t d_header_bytes = 0, d_packet_bytes = 0, d_value_bytes = 0;
    std::size_t d_groups = 0;                //!< of spectra, each of a packet
    std::vector<std::size_t> d_range_packet; //!< the first packet of a range
    std::vector<std::uint8_t> d_memory;
    std::unique_ptr<bool[]> d_spoilt; //!< [group][source]
    std::uint64_t d_first = 0;        //!< the number of the first spectrum of the batch
    std::size_t d_filled = 0, d_taken = 0, d_skipped = 0;
    std::uint64_t d_withheld = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_PACKETS_H */
