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

constexpr std::size_t polarizations = 2;

// Channels that fill up to 8 KiB with this number of spectra of both polarizations.
std::uint64_t usual_channels(std::size_t spectra, const wire_samples& code)
{
    const std::size_t bytes = spectra * polarizations * code.bits / 8;
    return bytes < 8192 ? 8192 / bytes : 1;
}

/*
 * What the F-engines of MeerKAT send: heaps of SPEAD, [channel][spectrum][polarization], of
 * one antenna, 8 + 8 bits. Each packet of a heap has all items, and some whole channels of
 * it: the number of its first channel is that of the heap and the place of its payload in
 * the heap. The time is a counter of the digitizers' samples, 48 bits, since they were
 * synchronized, which is known by other ways.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const wire_samples& code = f_engine::code(settings, 8);
    const std::size_t spectra = f_engine::count(settings, "spectra", 256);
    f_engine::set_channels(
        l, settings, {1712000000, 8192, usual_channels(spectra, code)});
    l.spead = true;
    l.header_bytes = 8 * (1 + 8);
    l.samples = spectra;
    l.streams = polarizations;
    l.wire = &code;
    l.axes = {{payload_axis::channel, l.channels},
              {payload_axis::time, spectra},
              {payload_axis::polarization, polarizations}};
    l.must_be = {{spead_item("payload_length", 4), l.payload_bytes()}};
    l.source = {{spead_item("feng_id", 0x4101)}};
    packet_term within{spead_item("payload_offset", 3)};
    within.unit = static_cast<std::int64_t>(l.payload_bytes() / l.channels);
    l.channel = {{spead_item("frequency", 0x4103)}, within};
    // The second Nyquist zone, as MeerKAT has it.
    l.channel_zero =
        settings.number("channel_zero", static_cast<double>(l.tick_rate) / 2);
    packet_term time{spead_item("timestamp", 0x1600)};
    time.wraps = true;
    l.time = {time};
    l.epoch = settings.instant("sync_time", "now");
    l.wraps = settings.wraps();
    return l;
}

} // namespace

packet_preset preset_spead()
{
    return {
        "spead",
        "MeerKAT F-engines: heaps of SPEAD (feng_raw), both polarizations of an antenna",
        make};
}

} // namespace gr::fringe::io
