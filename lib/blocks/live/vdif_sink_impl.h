/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_VDIF_SINK_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_VDIF_SINK_IMPL_H

#include "blocks/base/guarded_block.h"
#include "blocks/live/packet_outlet.h"
#include "blocks/ports/stream_tags.h"
#include "io/packets/vdif_packets.h"
#include <atomic>
#include <gnuradio/fringe/packet_sink.h>

namespace gr::fringe {

//! The packet_sink of raw samples.
class vdif_sink_impl : public packet_sink, public guarded_block
{
public:
    vdif_sink_impl(io::vdif_packets packets, const packet_destinations& to);

    std::map<std::string, std::uint64_t> packets() const override
    {
        return d_outlet.packets();
    }
    std::size_t packet_bytes() const override { return d_packet_bytes; }
    std::size_t packet_channels() const override { return 1; }
    std::size_t packet_spectra() const override { return d_packet_samples; }
    std::string error() const override { return failure(); }

    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star&) override;

private:
    void take_item(const item_tags& tags, const std::uint8_t* samples);
    void begin(const epoch& time, double rate);
    void say_beginning(const epoch& time, double late) const;
    void send();

    io::vdif_packets d_packets;
    packet_outlet d_outlet;
    double d_rate = 0; // samples per second
    bool d_began = false;
    std::atomic<std::size_t> d_packet_bytes{0}, d_packet_samples{0};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_VDIF_SINK_IMPL_H */
