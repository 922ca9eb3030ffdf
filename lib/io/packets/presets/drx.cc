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
 * DRX of the Long Wavelength Array: 32 bytes of header in network order, 4096 samples of one
 * polarization of one tuning of one beam, 4 + 4 bits each (with `bits` 8: 8 + 8).
 */
packet_layout make(packet_settings& settings)
{
    packet_layout l;
    const std::uint64_t rate = settings.rate("sample_rate", 19600000);
    if (lwa::clock_rate % rate != 0 || lwa::clock_rate / rate > 65535) {
        settings.fail("sample_rate", "must divide 196 MHz, as 19.6e6 does");
    }
    const std::uint64_t bits = settings.whole("bits", 4);
    if (bits != 4 && bits != 8) {
        settings.fail("bits", "must be 4 or 8");
    }
    const auto beam = settings.whole("beam"), tuning = settings.whole("tuning");
    l.header_bytes = 32;
    l.samples = 4096;
    l.wire = &wire_samples_by_name(bits == 4 ? "ci4" : "ci8");
    l.must_be = {{{"sync", 0, 4}, lwa::sync}};
    l.only = {{{"decimation", 12, 2}, lwa::clock_rate / rate},
              {{"beam", 4, 1, 0, 3}, beam},
              {{"tuning", 4, 1, 3, 3}, tuning}};
    l.source = {{{"polarization", 4, 1, 7, 1}}};
    l.time = {{{"time_tag", 16, 8}}, {{"time_offset", 14, 2}, -1}};
    lwa::set_clock(l, rate, {"tuning_word", 24, 4});
    return l;
}

} // namespace

packet_preset preset_drx()
{
    return {"drx", "LWA DRX: both polarizations of a tuning of a beam", make};
}

} // namespace gr::fringe::io
