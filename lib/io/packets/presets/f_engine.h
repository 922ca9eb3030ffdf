/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKETS_PRESETS_F_ENGINE_H
#define INCLUDED_FRINGE_IO_PACKETS_PRESETS_F_ENGINE_H

#include "io/packets/packet_layout.h"
#include "io/packets/packet_settings.h"

namespace gr::fringe::io::f_engine {

/*!
 * What the presets of spectra have in common. The settings:
 *
 *     sample_rate      of the digitizers, Hz
 *     points           samples from one spectrum to the next
 *     packet_channels  channels in a packet
 *     channels         channels that are received; packet_channels by default
 *     first_channel    the first of them, as the F-engine counts; 0
 *     channel_zero     sky frequency of the F-engine's channel 0, Hz
 *
 * A tick is a sample of the digitizers, so that time is exact.
 */
struct defaults {
    std::uint64_t sample_rate, points, packet_channels;
};

inline void set_channels(packet_layout& l, packet_settings& settings, const defaults& d)
{
    l.tick_rate = settings.rate("sample_rate", d.sample_rate);
    l.ticks_per_sample = settings.whole("points", d.points);
    if (l.ticks_per_sample == 0 || l.ticks_per_sample > std::uint64_t(1) << 26) {
        settings.fail("points", "must be 1 ... 2^26");
    }
    l.channels = settings.whole("packet_channels", d.packet_channels);
    if (l.channels == 0 || l.channels > 65536) {
        settings.fail("packet_channels", "must be 1 ... 65536");
    }
    l.all_channels = settings.whole("channels", l.channels);
    if (l.all_channels == 0 || l.all_channels % l.channels != 0) {
        settings.fail("channels",
                      "must be a multiple of packet_channels, " +
                          std::to_string(l.channels));
    }
    l.first_channel = settings.whole("first_channel", 0);
    if (l.first_channel > std::uint64_t(1) << 40) {
        settings.fail("first_channel", "must be less than 2^40");
    }
}

//! A setting that is a number of stations, signals or spectra in a packet.
inline std::size_t count(packet_settings& settings, const char* name, std::uint64_t usual)
{
    const std::uint64_t n = settings.whole(name, usual);
    if (n == 0 || n > 65536) {
        settings.fail(name, "must be 1 ... 65536");
    }
    return n;
}

//! The code of 4 + 4 or 8 + 8 bits, as the setting `bits` says.
inline const wire_samples& code(packet_settings& settings, std::uint64_t usual)
{
    const std::uint64_t bits = settings.whole("bits", usual);
    if (bits != 4 && bits != 8) {
        settings.fail("bits", "must be 4 or 8");
    }
    return wire_samples_by_name(bits == 4 ? "ci4" : "ci8");
}

} // namespace gr::fringe::io::f_engine

#endif /* INCLUDED_FRINGE_IO_PACKETS_PRESETS_F_ENGINE_H */
