/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_SINK_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_SINK_IMPL_H

#include "blocks/base/guarded_block.h"
#include "blocks/live/packet_outlet.h"
#include "blocks/live/spectrum_clock.h"
#include "io/packets/spectra_packets.h"
#include <gnuradio/fringe/packet_sink.h>
#include <optional>

namespace gr::fringe {

class packet_sink_impl : public packet_sink, public guarded_block
{
public:
    packet_sink_impl(const io::spectra_params& p,
                     const packet_destinations& to,
                     const std::optional<epoch>& synchronized,
                     float gain);

    std::map<std::string, std::uint64_t> packets() const override
    {
        return d_outlet.packets();
    }
    std::size_t packet_bytes() const override { return d_packets.packet_bytes(); }
    std::size_t packet_channels() const override
    {
        return d_packets.params().packet_channels;
    }
    std::size_t packet_spectra() const override { return d_packets.params().spectra; }
    std::string error() const override { return failure(); }

    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star&) override;

private:
    const std::int8_t* rounded(const float* spectra);
    void take_item(std::uint64_t item, const std::int8_t* spectra);
    void begin(const epoch& time, double rate);
    void send();

    io::spectra_packets d_packets;
    packet_outlet d_outlet;
    const std::optional<epoch> d_given;
    const std::size_t d_block;
    const float d_gain; // of float32 spectra, or 0
    std::vector<std::int8_t> d_rounded;
    std::uint64_t d_clipped = 0;
    std::optional<spectrum_clock> d_clock;
    double d_rate = 0; // spectra per second
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_SINK_IMPL_H */
