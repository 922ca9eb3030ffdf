/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_LOSSES_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_LOSSES_H

#include "blocks/base/loss_counter.h"
#include "io/packets/udp_capture.h"

namespace gr::fringe {

//! Counts what becomes of the packets of a capture: in packets, and in samples that each
//! input loses, which go out through the block's message port `losses`. A sample of spectra is
//! a value of one spectrum in one channel.
class packet_losses
{
public:
    //! The capture must outlive this.
    packet_losses(gr::block& block,
                  const io::udp_capture& capture,
                  const io::packet_layout& layout);

    //! Returns the packets by what became of them, of all sources together.
    std::map<std::string, std::uint64_t> packets() const;
    //! Returns the lost samples by cause, [input].
    loss_counter::counts samples() const;
    //! Sends a message if samples have been lost since the last; `read` samples, or spectra, of
    //! every input have been sent.
    void tell(std::uint64_t read);
    //! Sends the last message.
    void tell_end(std::uint64_t read);

private:
    void count();

    const io::udp_capture& d_capture;
    const std::size_t d_streams, d_packet_samples; // of each stream in a packet
    const std::size_t d_blocks;                    // of channels; 1 of samples
    const std::size_t d_channels;                  // of spectra; 1 of samples
    loss_counter d_losses;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_LOSSES_H */
