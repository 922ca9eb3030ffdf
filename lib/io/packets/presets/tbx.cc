/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "io/packets/presets/f_engine.h"
#include "io/packets/presets/lwa.h"

namespace gr::fringe::io {

namespace {

/*
 * TBX of the Long Wavelength Array: 32 bytes of header in network order, then one spectrum of
 * some channels of all stands, [channel][stand][polarization], 4 + 4 bits. Ticks of 196 MHz
 * since 1970.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const std::size_t stands = f_engine::count(settings, "stands", 256);
    f_engine::set_channels(
        l, settings, {lwa::clock_rate, 8192, stands < 4096 ? 4096 / stands : 1});
    l.header_bytes = 32;
    l.samples = 1;
    l.streams = 2 * stands;
    l.wire = &wire_samples_by_name("ci4");
    l.axes = {{payload_axis::channel, l.channels},
              {payload_axis::station, stands},
              {payload_axis::polarization, 2}};
    l.must_be = {{{"sync", 0, 4}, lwa::sync},
                 {{"nstand", 16, 4}, stands},
                 {{"nchan", 20, 4}, l.channels}};
    l.channel = {{{"first_chan", 12, 4}}};
    l.channel_zero = settings.number("channel_zero", 0);
    l.time = {{{"time_tag", 24, 8}}};
    l.epoch = fringe::epoch{};
    return l;
}

} // namespace

packet_preset preset_tbx()
{
    return {"tbx", "LWA TBX: spectra of all stands, some channels", make};
}

} // namespace gr::fringe::io
