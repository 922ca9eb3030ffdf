/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "io/packets/presets/f_engine.h"

namespace gr::fringe::io {

namespace {

/*
 * Spectra of the ROACH2 boards of LWA-SV and LEDA: 16 bytes of header, the numbers of more
 * than a byte in network order, then one spectrum of some channels of the 32 inputs of a
 * board, [channel][input], 4 + 4 bits. Boards and spectra are counted from 1; when the first
 * spectrum was is known by other ways.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    f_engine::set_channels(l, settings, {204800000, 8192, 109});
    constexpr std::size_t inputs = 32;
    l.header_bytes = 16;
    l.samples = 1;
    l.streams = inputs;
    l.wire = &wire_samples_by_name("ci4");
    l.axes = {{payload_axis::channel, l.channels}, {payload_axis::station, inputs}};
    l.must_be = {{{"nchan", 2, 1}, l.channels}};
    l.source = {{{"roach", 0, 1}, 1, 1}};
    l.channel = {{{"chan0", 6, 2}}};
    l.channel_zero = settings.number("channel_zero", 0);
    l.time = {{{"seq", 8, 8}, static_cast<std::int64_t>(l.ticks_per_sample), 1}};
    l.epoch = settings.instant("sync_time", "now");
    return l;
}

} // namespace

packet_preset preset_chips()
{
    return {"chips",
            "CHIPS (LWA-SV, LEDA): spectra of the 32 inputs of a ROACH2 board",
            make};
}

} // namespace gr::fringe::io
