/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_layout.h"
#include "kernels/base/require.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

using wide = __int128;
constexpr wide attos_per_second = 1000000000000000000;
constexpr std::size_t max_payload = 65507; // of UDP over IPv4
constexpr unsigned spead_value_bits = 48;

unsigned bits_of(const packet_field& f)
{
    const unsigned there = f.item >= 0 ? spead_value_bits : 8 * f.width;
    return std::min(f.bits, there - std::min(f.shift, there));
}

} // namespace

std::int64_t packet_layout::turn() const
{
    for (const packet_term& t : time) {
        if (t.wraps) {
            return t.step * (std::int64_t(1) << bits_of(t.field));
        }
    }
    return 0;
}

fringe::epoch packet_layout::instant(const fringe::epoch& start, std::int64_t tick) const
{
    const wide rate = tick_rate;
    const wide scaled = static_cast<wide>(tick) * attos_per_second;
    const wide since = scaled / rate - (scaled % rate < 0 ? 1 : 0);
    const wide attos =
        std::max<wide>(0, start.seconds * attos_per_second + start.attos + since);
    fringe::epoch t;
    t.seconds = static_cast<std::uint64_t>(attos / attos_per_second);
    t.attos = static_cast<std::uint64_t>(attos % attos_per_second);
    return t;
}

std::int64_t packet_layout::ticks(const fringe::epoch& from,
                                  const fringe::epoch& to) const
{
    const wide rate = tick_rate;
    const wide seconds = static_cast<wide>(to.seconds) - from.seconds;
    const wide attos = static_cast<wide>(to.attos) - from.attos;
    return static_cast<std::int64_t>(seconds * rate + attos * rate / attos_per_second);
}

// Channels are as wide as there are spectra per second, and that of the middle is the one
// that a Fourier transform puts there.
double packet_layout::center_frequency() const
{
    if (!spectra() || !channel_zero) {
        return 0;
    }
    const auto middle = static_cast<double>(first_channel + all_channels / 2);
    return *channel_zero + middle * sample_rate();
}

void packet_layout::check_axes(const std::string& where) const
{
    std::size_t values[4] = {1, 1, 1, 1};
    for (const payload_extent& extent : axes) {
        std::size_t& size = values[static_cast<std::size_t>(extent.axis)];
        require(size == 1 && extent.size > 0,
                where,
                "axes",
                extent.size,
                "names an axis twice");
        size = extent.size;
    }
    require(values[0] == samples && values[1] == channels &&
                values[2] * values[3] == streams,
            where,
            "axes",
            axes.size(),
            "are not those of the samples, channels and streams of a packet");
    require(channels <= 65536 && all_channels <= 1 << 20,
            where,
            "channels",
            all_channels,
            "must be 2^20 at most, and 65536 in a packet");
    require(all_channels > 0 && all_channels % channels == 0,
            where,
            "channels",
            all_channels,
            "must be a multiple of those in a packet, " + std::to_string(channels));
    require(!channel.empty(), where, "channel", "none", "needs a field at least");
    require(has_spectra_code(*wire),
            where,
            "code",
            wire->name,
            "spectra have complex integers of 4 or 8 bits: ci4, ci8 or cvdif4");
}

void packet_layout::check() const
{
    const std::string where = "packet layout " + name;
    require(wire != nullptr, where, "samples", "none", "name a code of samples");
    require(samples > 0 && streams > 0, where, "samples", samples, "must be at least 1");
    if (spectra()) {
        check_axes(where);
    }
    const std::size_t bits = samples * streams * wire->bits;
    require(bits % 8 == 0 && (!stream_major || samples * wire->bits % 8 == 0),
            where,
            "samples",
            samples,
            "must fill whole bytes");
    require(packet_bytes() <= max_payload,
            where,
            "payload_bytes",
            payload_bytes(),
            "must be less than 65507 with the header");
    require(tick_rate > 0 && tick_rate <= 1000000000000,
            where,
            "tick_rate",
            tick_rate,
            "must be 1 ... 1e12 Hz");
    require(ticks_per_sample > 0 && ticks_per_sample <= 1000000000,
            where,
            "ticks_per_sample",
            ticks_per_sample,
            "must be 1 ... 1e9");
    require(!time.empty(), where, "time", "none", "needs a field at least");
    for (const packet_term& t : time) {
        require(!t.wraps || (bits_of(t.field) < 62 && t.step > 0 &&
                             t.step < std::int64_t(1) << (62 - bits_of(t.field))),
                where,
                "time",
                t.field.name,
                "a counter that wraps must do so within 2^62 ticks");
    }
    require(static_cast<wide>(turn()) * (wraps.value_or(0) + 1) < wide(1) << 61,
            where,
            "wraps",
            wraps.value_or(0),
            "is more than a counter of 2^61 ticks has room for");
    require(std::count_if(time.begin(),
                          time.end(),
                          [](const packet_term& t) { return t.wraps; }) <= 1,
            where,
            "time",
            "wraps",
            "one of the fields may wrap");
}

} // namespace gr::fringe::io
