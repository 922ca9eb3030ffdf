/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/leap_seconds.h"
#include "io/packets/packet_presets.h"
#include <ctime>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t samples = 2048;
constexpr std::uint64_t gps_epoch = 315964800; // 1980-01-06 in POSIX seconds
constexpr std::uint64_t gps_behind_tai = 19;

/*
 * What the receivers of the Murchison Widefield Array send to its correlator MWAX: 16 bytes
 * of header in network order, 2048 complex samples of one input behind them. The time is
 * GPS seconds, which have no leap seconds, and the number of the packet in the second.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const std::uint64_t rate = settings.rate("sample_rate", 1280000);
    if (rate % samples != 0) {
        settings.fail("sample_rate", "must be a multiple of 2048 Hz, as in 1.28e6");
    }
    const fringe::epoch now{static_cast<std::uint64_t>(std::time(nullptr)), 0};
    const std::uint64_t leap = settings.whole(
        "gps_leap_seconds",
        static_cast<std::uint64_t>(array::leap_seconds(now)) - gps_behind_tai);
    if (leap > 1000) {
        settings.fail("gps_leap_seconds", "must be GPS - UTC in seconds, as 18 is");
    }
    const bool oversampled = settings.flag("oversampled", rate > 1280000);
    const auto channel = settings.whole("coarse_channel");
    l.header_bytes = 16;
    l.samples = samples;
    l.wire = &wire_samples_by_name("ci8");
    l.only = {{{"packet_type", 0, 1}, oversampled ? 0x30 : 0x20},
              {{"coarse_channel", 1, 1}, channel}};
    l.source = {{{"rf_input", 2, 2}}};
    l.time = {{{"gps_second", 4, 4}, static_cast<std::int64_t>(rate)},
              {{"packet", 8, 2}, samples, 0, rate / samples}};
    l.tick_rate = rate;
    l.epoch = fringe::epoch{gps_epoch - leap, 0};
    return l;
}

} // namespace

packet_preset preset_mwa()
{
    return {"mwa", "MWA: time samples of receivers, as sent to MWAX", make};
}

} // namespace gr::fringe::io
