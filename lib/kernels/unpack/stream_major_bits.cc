/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/unpack/stream_major_bits.h"
#include "kernels/unpack/bit_levels.h"
#include <cstring>

namespace gr::fringe::kernels {

namespace {

template <class Out>
void unpack_generic(const std::uint8_t* raw,
                    std::size_t streams,
                    std::size_t samples,
                    const std::size_t* rows,
                    void* out,
                    std::size_t stride)
{
    for (std::size_t s = 0; s < streams; s++) {
        const auto from = raw + s * (samples / 8);
        const auto row = static_cast<Out*>(out) + rows[s] * stride;
        for (std::size_t t = 0; t < samples; t++) {
            row[t] = bit_levels::level<1, Out>((from[t / 8] >> (7 - t % 8)) & 1);
        }
    }
}

//! The eight samples of every byte.
template <class Out>
struct byte_table {
    Out samples[256][8] = {};

    constexpr byte_table()
    {
        for (unsigned byte = 0; byte < 256; byte++) {
            for (unsigned t = 0; t < 8; t++) {
                samples[byte][t] = bit_levels::level<1, Out>((byte >> (7 - t)) & 1);
            }
        }
    }
};

template <class Out>
void unpack_cpu(const std::uint8_t* raw,
                std::size_t streams,
                std::size_t samples,
                const std::size_t* rows,
                void* out,
                std::size_t stride)
{
    static constexpr byte_table<Out> table;
    for (std::size_t s = 0; s < streams; s++) {
        const auto from = raw + s * (samples / 8);
        const auto row = static_cast<Out*>(out) + rows[s] * stride;
        for (std::size_t byte = 0; byte < samples / 8; byte++) {
            std::memcpy(row + 8 * byte, table.samples[from[byte]], sizeof(Out) * 8);
        }
    }
}

} // namespace

encoding stream_major_bits()
{
    encoding e;
    e.code = sample_code::stream_major;
    e.is_complex = false;
    e.bits = 1;
    e.natural = component::i8;
    auto& generic = e.unpack[static_cast<std::size_t>(backend::generic)];
    auto& cpu = e.unpack[static_cast<std::size_t>(backend::cpu)];
    generic[0] = unpack_generic<std::int8_t>;
    generic[1] = unpack_generic<std::int16_t>;
    generic[2] = unpack_generic<float>;
    cpu[0] = unpack_cpu<std::int8_t>;
    cpu[1] = unpack_cpu<std::int16_t>;
    cpu[2] = unpack_cpu<float>;
    return e;
}

} // namespace gr::fringe::kernels
