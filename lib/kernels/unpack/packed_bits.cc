/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/unpack/packed_bits.h"
#include "kernels/unpack/bit_levels.h"
#include <cstring>

namespace gr::fringe::kernels {

namespace {

using bit_levels::level;
using bit_levels::sign_first;
using bit_levels::width;

template <unsigned Kind, unsigned Parts, class Out>
void unpack_generic(const std::uint8_t* raw,
                    std::size_t streams,
                    std::size_t samples,
                    const std::size_t* rows,
                    void* out,
                    std::size_t stride)
{
    constexpr unsigned bits = width(Kind);
    for (std::size_t s = 0; s < streams; s++) {
        const auto row = static_cast<Out*>(out) + rows[s] * stride * Parts;
        for (std::size_t t = 0; t < samples; t++) {
            for (std::size_t part = 0; part < Parts; part++) {
                const std::size_t bit = ((t * streams + s) * Parts + part) * bits;
                const unsigned code = (raw[bit / 8] >> (bit % 8)) & ((1u << bits) - 1);
                row[t * Parts + part] = level<Kind, Out>(code);
            }
        }
    }
}

//! All components of every byte.
template <unsigned Kind, class Out>
struct byte_table {
    static constexpr unsigned bits = width(Kind);
    Out components[256][8 / bits] = {};

    constexpr byte_table()
    {
        for (unsigned byte = 0; byte < 256; byte++) {
            for (unsigned k = 0; k < 8 / bits; k++) {
                const unsigned code = (byte >> (k * bits)) & ((1u << bits) - 1);
                components[byte][k] = level<Kind, Out>(code);
            }
        }
    }
};

//! One stream: a byte at a time. Several whose samples fill whole bytes: every step of
//! a stream is in the same bits of a byte.
template <unsigned Kind, unsigned Parts, class Out>
void unpack_cpu(const std::uint8_t* raw,
                std::size_t streams,
                std::size_t samples,
                const std::size_t* rows,
                void* out,
                std::size_t stride)
{
    constexpr unsigned bits = width(Kind);
    static constexpr byte_table<Kind, Out> table;
    constexpr std::size_t per_byte = 8 / bits;
    const std::size_t step_bits = streams * Parts * bits;
    if (streams == 1) {
        const auto row = static_cast<Out*>(out) + rows[0] * stride * Parts;
        for (std::size_t byte = 0; byte < samples * step_bits / 8; byte++) {
            std::memcpy(row + byte * per_byte,
                        table.components[raw[byte]],
                        sizeof(Out) * per_byte);
        }
    } else if (step_bits % 8 == 0) {
        for (std::size_t s = 0; s < streams; s++) {
            const std::size_t bit = s * Parts * bits;
            const auto row = static_cast<Out*>(out) + rows[s] * stride * Parts;
            for (std::size_t t = 0; t < samples; t++) {
                const auto* values =
                    table.components[raw[t * (step_bits / 8) + bit / 8]] + bit % 8 / bits;
                std::memcpy(row + t * Parts, values, sizeof(Out) * Parts);
            }
        }
    } else {
        unpack_generic<Kind, Parts, Out>(raw, streams, samples, rows, out, stride);
    }
}

template <unsigned Kind, unsigned Parts, class Out>
void add_component(encoding& e, component c)
{
    const auto at = static_cast<std::size_t>(c);
    e.unpack[static_cast<std::size_t>(backend::generic)][at] =
        unpack_generic<Kind, Parts, Out>;
    e.unpack[static_cast<std::size_t>(backend::cpu)][at] = unpack_cpu<Kind, Parts, Out>;
}

template <unsigned Kind, unsigned Parts>
encoding encoding_of_bits(sample_code code)
{
    constexpr unsigned bits = width(Kind);
    encoding e;
    e.code = code;
    e.is_complex = Parts == 2;
    e.bits = bits * Parts;
    e.natural = bits == 2 ? component::f32 : component::i8;
    e.rail = bits == 4 ? 7 : 0;
    if constexpr (bits != 2) {
        add_component<Kind, Parts, std::int8_t>(e, component::i8);
        add_component<Kind, Parts, std::int16_t>(e, component::i16);
    } else {
        add_component<Kind, Parts, level_byte>(e, component::level);
    }
    add_component<Kind, Parts, float>(e, component::f32);
    return e;
}

} // namespace

encoding sign_magnitude_bits()
{
    return encoding_of_bits<sign_first, 1>(sample_code::sign_magnitude);
}

encoding packed_bits(unsigned bits, bool is_complex)
{
    switch (bits) {
    case 1:
        return is_complex ? encoding_of_bits<1, 2>(sample_code::cbits1)
                          : encoding_of_bits<1, 1>(sample_code::bits1);
    case 2:
        return is_complex ? encoding_of_bits<2, 2>(sample_code::cbits2)
                          : encoding_of_bits<2, 1>(sample_code::bits2);
    default:
        return is_complex ? encoding_of_bits<4, 2>(sample_code::cbits4)
                          : encoding_of_bits<4, 1>(sample_code::bits4);
    }
}

} // namespace gr::fringe::kernels
