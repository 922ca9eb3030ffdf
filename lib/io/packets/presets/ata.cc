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
 * Spectra of the SNAP and RFSoC boards of the Allen Telescope Array: 16 bytes of header in
 * network order, then [channel][16 spectra][2 polarizations] of one antenna, 4 + 4 bits, or
 * 8 + 8. The time is the number of the first spectrum since a synchronization, which is known
 * by other ways.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const wire_samples& code = f_engine::code(settings, 4);
    const std::uint64_t in_packet = code.bits == 8 ? 256 : 128;
    f_engine::set_channels(l, settings, {2048000000, 4096, in_packet});
    l.header_bytes = 16;
    l.samples = 16;
    l.streams = 2;
    l.wire = &code;
    l.axes = {{payload_axis::channel, l.channels},
              {payload_axis::time, 16},
              {payload_axis::polarization, 2}};
    l.must_be = {{{"voltages", 0, 1, 7, 1}, 1},
                 {{"channel_time_pol", 1, 1, 0, 1}, 1},
                 {{"eight_bits", 1, 1, 1, 1}, code.bits == 16},
                 {{"n_chans", 2, 2}, l.channels}};
    l.source = {{{"feng_id", 6, 2}}};
    l.channel = {{{"chan", 4, 2}}};
    l.channel_zero = settings.number("channel_zero");
    l.time = {{{"timestamp", 8, 8}, static_cast<std::int64_t>(l.ticks_per_sample)}};
    l.epoch = settings.instant("sync_time", "now");
    return l;
}

} // namespace

packet_preset preset_ata()
{
    return {"ata",
            "ATA: spectra of SNAP and RFSoC boards, both polarizations of an antenna",
            make};
}

} // namespace gr::fringe::io
