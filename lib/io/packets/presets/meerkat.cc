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
 * What the digitizers of MeerKAT send: one SPEAD heap of 4096 samples of 10 bits in a
 * packet. The time is a counter of samples, 48 bits, since the digitizers were
 * synchronized, which is known by other ways.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    l.spead = true;
    l.header_bytes = 8 * (1 + 8);
    l.samples = settings.whole("samples", 4096);
    if (l.samples == 0 || l.samples % 4 != 0 || l.samples > 32768) {
        settings.fail("samples", "must be a multiple of 4, up to 32768");
    }
    l.wire = &wire_samples_by_name("i10");
    l.must_be = {{spead_item("payload_offset", 3), 0},
                 {spead_item("payload_length", 4), l.payload_bytes()}};
    l.source = {{spead_item("digitizer_id", 0x3101)}};
    packet_term time{spead_item("timestamp", 0x1600)};
    time.wraps = true;
    l.time = {time};
    l.tick_rate = settings.rate("sample_rate", 1712000000);
    l.epoch = settings.instant("sync_time", "now");
    l.wraps = settings.wraps();
    return l;
}

} // namespace

packet_preset preset_meerkat()
{
    return {"meerkat", "MeerKAT digitizers: SPEAD, 10-bit samples", make};
}

} // namespace gr::fringe::io
