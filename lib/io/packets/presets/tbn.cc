/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "io/packets/presets/lwa.h"

namespace gr::fringe::io {

namespace {

/*
 * TBN of the Long Wavelength Array: 24 bytes of header in network order, 512 complex samples
 * of one input. Ticks of 196 MHz since 1970; the decimation is not in the header.
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const std::uint64_t rate = settings.rate("sample_rate", 100000);
    if (lwa::clock_rate % rate != 0) {
        settings.fail("sample_rate", "must divide 196 MHz, as 100e3 does");
    }
    const auto tuning = settings.whole("tuning");
    l.header_bytes = 24;
    l.samples = 512;
    l.wire = &wire_samples_by_name("ci8");
    l.must_be = {{{"sync", 0, 4}, lwa::sync}, {{"tbw", 12, 2, 15, 1}, 0}};
    l.only = {{{"tuning", 8, 4}, tuning}};
    l.source = {{{"input", 12, 2, 0, 14}, 1, 1}};
    l.time = {{{"time_tag", 16, 8}}};
    lwa::set_clock(l, rate, {"tuning", 8, 4});
    return l;
}

} // namespace

packet_preset preset_tbn()
{
    return {"tbn", "LWA TBN: narrow-band time samples of every antenna", make};
}

} // namespace gr::fringe::io
