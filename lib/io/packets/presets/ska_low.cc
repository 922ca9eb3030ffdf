/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"

namespace gr::fringe::io {

namespace {

/*
 * Station beams of SKA-Low, version 1: SPEAD with 8 items, 2048 samples of both
 * polarizations of one coarse channel. The time is the UNIX second of the synchronization
 * and nanoseconds since; a sample takes 1080 ns.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const auto frequency = settings.whole("frequency_id"), beam = settings.whole("beam");
    const auto substation = settings.whole("substation"),
               subarray = settings.whole("subarray");
    l.spead = true;
    l.header_bytes = 72;
    l.samples = 2048;
    l.streams = 2;
    l.wire = &wire_samples_by_name("ci8");
    l.only = {{spead_item("frequency_id", 0x3000, 0, 16), frequency},
              {spead_item("beam", 0x3000, 16, 16), beam},
              {spead_item("substation", 0x3001, 40, 8), substation},
              {spead_item("subarray", 0x3001, 32, 8), subarray}};
    l.source = {{spead_item("station", 0x3001, 16, 16), 1, 1}};
    l.time = {{spead_item("sync_time", 0x1027), 1000000000},
              {spead_item("timestamp", 0x1600)}};
    l.frequency = spead_item("center_frequency", 0x1011);
    l.tick_rate = 1000000000;
    l.ticks_per_sample = 1080;
    l.epoch = fringe::epoch{};
    return l;
}

} // namespace

packet_preset preset_ska_low()
{
    return {"ska_low", "SKA-Low station beams, version 1: SPEAD, a coarse channel", make};
}

} // namespace gr::fringe::io
