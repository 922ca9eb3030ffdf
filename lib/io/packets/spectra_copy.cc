/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spectra_copy.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace io {

namespace {

std::uint16_t pair_of(int re, int im)
{
    const std::int8_t parts[2] = {static_cast<std::int8_t>(re),
                                  static_cast<std::int8_t>(im)};
    std::uint16_t pair = 0;
    std::memcpy(&pair, parts, sizeof(pair));
    return pair;
}

// Four bits of two's complement.
int signed_nibble(unsigned bits) { return static_cast<int>(bits ^ 8) - 8; }

} // namespace

spectra_copy::spectra_copy(const packet_layout& layout, std::size_t parts)
    : d_layout(layout),
      d_inputs(parts / layout.channel_blocks() * layout.streams),
      d_value_bytes(layout.wire->bits / 8),
      d_place(layout.streams)
{
    std::size_t station_step = 0, pol_step = 0, pols = 1, step = 1;
    for (auto one = layout.axes.rbegin(); one != layout.axes.rend(); ++one) {
        switch (one->axis) {
        case payload_axis::time:
            d_time_step = step;
            break;
        case payload_axis::channel:
            d_channel_step = step;
            break;
        case payload_axis::station:
            station_step = step;
            break;
        case payload_axis::polarisation:
            pol_step = step;
            pols = one->size;
            break;
        }
        step *= one->size;
    }
    for (std::size_t i = 0; i < d_place.size(); ++i) {
        d_place[i] = i / pols * station_step + i % pols * pol_step;
    }
    const bool offset_binary = layout.wire->name == "cvdif4";
    for (unsigned code = 0; code < d_decoded.size(); ++code) {
        const unsigned high = code >> 4, low = code & 15;
        d_decoded[code] =
            offset_binary ? pair_of(static_cast<int>(low) - 8, static_cast<int>(high) - 8)
                          : pair_of(signed_nibble(high), signed_nibble(low));
    }
}

void spectra_copy::begin(std::uint8_t* item, std::size_t block, std::size_t part)
{
    const std::size_t blocks = d_layout.channel_blocks();
    const std::size_t channel = part % blocks * d_layout.channels,
                      input = part / blocks * d_layout.streams;
    d_out = reinterpret_cast<pair*>(item) + (channel * d_inputs + input) * block;
    d_block = block;
    d_written = d_waiting = 0;
}

void spectra_copy::add(const std::uint8_t* payload, std::size_t from, std::size_t count)
{
    for (std::size_t t = from; t < from + count; ++t) {
        if (d_waiting == together) {
            write();
        }
        d_spectra[d_waiting++] =
            payload ? payload + t * d_time_step * d_value_bytes : nullptr;
    }
}

void spectra_copy::write()
{
    if (d_value_bytes == 1) {
        write_all([this](const std::uint8_t* at) { return d_decoded[*at]; });
    } else {
        write_all([](const std::uint8_t* at) {
            pair value = 0;
            std::memcpy(&value, at, sizeof(value));
            return value;
        });
    }
    d_written += d_waiting;
    d_waiting = 0;
}

template <class Decode>
void spectra_copy::write_all(Decode decode)
{
    for (std::size_t c = 0; c < d_layout.channels; ++c) {
        for (std::size_t i = 0; i < d_place.size(); ++i) {
            const std::size_t at = (c * d_channel_step + d_place[i]) * d_value_bytes;
            pair* const out = d_out + (c * d_inputs + i) * d_block + d_written;
            for (std::size_t t = 0; t < d_waiting; ++t) {
                out[t] = d_spectra[t] ? decode(d_spectra[t] + at) : pair(0);
            }
        }
    }
}

} // namespace io
} // namespace fringe
} // namespace gr
