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
 * Spectra of the SNAP2 boards of OVRO-LWA: 32 bytes of header in network order, then one
 * spectrum of some channels of some signals, [channel][signal], 4 + 4 bits. The time is the
 * UNIX second of the synchronization and the number of the spectrum since.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    f_engine::set_channels(l, settings, {196000000, 8192, 96});
    const std::size_t signals = f_engine::count(settings, "signals", 64);
    l.header_bytes = 32;
    l.samples = 1;
    l.streams = signals;
    l.wire = &f_engine::code(settings, 4);
    l.axes = {{payload_axis::channel, l.channels}, {payload_axis::station, signals}};
    l.must_be = {{{"nsignal", 12, 2}, signals}, {{"nchan", 16, 2}, l.channels}};
    l.source = {{{"signal0", 28, 4}}};
    l.source[0].unit = static_cast<std::int64_t>(signals);
    l.channel = {{{"chan0", 24, 4}}};
    l.channel_zero = settings.number("channel_zero", 0);
    l.time = {{{"seq", 0, 8}, static_cast<std::int64_t>(l.ticks_per_sample)},
              {{"sync_time", 8, 4}, static_cast<std::int64_t>(l.tick_rate)}};
    l.epoch = fringe::epoch{};
    return l;
}

} // namespace

packet_preset preset_snap2()
{
    return {"snap2", "SNAP2 (OVRO-LWA): spectra of some channels of some signals", make};
}

} // namespace gr::fringe::io
