/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/wire_samples.h"
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// Two's complement with the real part in the high half of a byte becomes VDIF's code: offset
// binary with the real part in the low half.
void high_real_nibbles(const std::uint8_t* payload,
                       std::size_t first,
                       std::size_t count,
                       std::uint8_t* out)
{
    const std::uint8_t* in = payload + first;
    for (std::size_t k = 0; k < count; ++k) {
        out[k] = static_cast<std::uint8_t>((in[k] >> 4 | in[k] << 4) ^ 0x88);
    }
}

// Ten bits of two's complement, the first sample in the highest bits, become a little-endian
// 16-bit word.
void ten_bits(const std::uint8_t* payload,
              std::size_t first,
              std::size_t count,
              std::uint8_t* out)
{
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t bit = 10 * (first + k);
        const std::uint8_t* at = payload + bit / 8;
        const unsigned word = static_cast<unsigned>(at[0] << 8 | at[1]);
        const int code = static_cast<int>(word >> (6 - bit % 8) & 0x3ff);
        const int value = (code ^ 0x200) - 0x200;
        out[2 * k] = static_cast<std::uint8_t>(value & 0xff);
        out[2 * k + 1] = static_cast<std::uint8_t>(value >> 8 & 0xff);
    }
}

template <std::size_t words>
void swapped_bytes(const std::uint8_t* payload,
                   std::size_t first,
                   std::size_t count,
                   std::uint8_t* out)
{
    const std::uint8_t* in = payload + 2 * words * first;
    for (std::size_t k = 0; k < words * count; ++k) {
        out[2 * k] = in[2 * k + 1];
        out[2 * k + 1] = in[2 * k];
    }
}

} // namespace

bool has_spectra_code(const wire_samples& wire)
{
    return wire.name == "ci4" || wire.name == "ci8" || wire.name == "cvdif4";
}

const std::vector<wire_samples>& all_wire_samples()
{
    static const std::vector<wire_samples> all{
        {"i8", 8, "i8", 8, nullptr},
        {"u8", 8, "u8", 8, nullptr},
        {"i16", 16, "i16", 16, nullptr},
        {"u16", 16, "u16", 16, nullptr},
        {"ci8", 16, "ci8", 16, nullptr},
        {"cu8", 16, "cu8", 16, nullptr},
        {"cu8_128", 16, "cu8_128", 16, nullptr},
        {"ci16", 32, "ci16", 32, nullptr},
        {"cu16", 32, "cu16", 32, nullptr},
        {"f32", 32, "f32", 32, nullptr},
        {"cf32", 64, "cf32", 64, nullptr},
        {"vdif1", 1, "vdif1", 1, nullptr},
        {"vdif2", 2, "vdif2", 2, nullptr},
        {"vdif4", 4, "vdif4", 4, nullptr},
        {"cvdif1", 2, "cvdif1", 2, nullptr},
        {"cvdif2", 4, "cvdif2", 4, nullptr},
        {"cvdif4", 8, "cvdif4", 8, nullptr},
        {"ci4", 8, "cvdif4", 8, high_real_nibbles},
        {"i10", 10, "i16", 16, ten_bits},
        {"i16_be", 16, "i16", 16, swapped_bytes<1>},
        {"ci16_be", 32, "ci16", 32, swapped_bytes<2>},
    };
    return all;
}

const wire_samples& wire_samples_by_name(const std::string& name)
{
    std::string names;
    for (const wire_samples& samples : all_wire_samples()) {
        if (samples.name == name) {
            return samples;
        }
        names += (names.empty() ? "" : ", ") + samples.name;
    }
    throw std::invalid_argument("samples: there is no code '" + name +
                                "' of samples in packets; there are " + names);
}

} // namespace gr::fringe::io
