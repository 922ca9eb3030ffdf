/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H
#define INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H

#include "kernel_cases.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/packed_bits.h"
#include "kernels/unpack/stream_major_bits.h"

// Every format, generic against CPU, bit by bit.
namespace kernel_cases {

using namespace gr::fringe::kernels;

inline void compare_unpack(const encoding& e)
{
    for (const std::size_t streams : {1, 2, 3, 4, 31, 64}) {
        const std::size_t samples = 8 * (1 + random_below(90)), stride = samples + 3;
        const auto width = e.is_complex ? 2 : 1;
        // Whole floats for the float formats, at an odd address.
        const auto raw = random_components(e.bits >= 32 ? component::f32 : component::i8,
                                           1 + e.bytes(streams, samples));
        std::vector<std::uint8_t> shifted(raw.size() + 1);
        std::memcpy(shifted.data() + 1, raw.data(), raw.size());
        std::vector<std::size_t> rows(streams);
        for (std::size_t s = 0; s < streams; s++) {
            rows[s] = 2 * (streams - 1 - s); // every other row, backwards
        }
        for (const auto c : {component::i8, component::i16, component::f32}) {
            const auto at = static_cast<std::size_t>(c);
            BOOST_TEST((e.unpack[0][at] == nullptr) == (c < e.natural));
            BOOST_TEST((e.unpack[1][at] == nullptr) == (c < e.natural));
            if (c < e.natural) {
                continue;
            }
            const std::size_t sample = component_bytes(c) * width;
            bytes out[2];
            for (const std::size_t b : {0, 1}) {
                out[b].assign(2 * streams * stride * sample, poison);
                e.unpack[b][at](shifted.data() + 1,
                                streams,
                                samples,
                                rows.data(),
                                out[b].data(),
                                stride);
            }
            BOOST_TEST((out[0] == out[1]));
            for (std::size_t s = 0; s < streams; s++) {
                const auto row = out[1].data() + 2 * s * stride * sample;
                BOOST_TEST(
                    all_poison(row + samples * sample, (2 * stride - samples) * sample));
            }
        }
    }
}

inline void unpack(double)
{
    compare_unpack(interleaved_encoding<decoders::i8>());
    compare_unpack(interleaved_encoding<decoders::u8>());
    compare_unpack(interleaved_encoding<decoders::i16>());
    compare_unpack(interleaved_encoding<decoders::u16>());
    compare_unpack(interleaved_encoding<decoders::f32>());
    compare_unpack(interleaved_encoding<decoders::ci8>());
    compare_unpack(interleaved_encoding<decoders::cu8>());
    compare_unpack(interleaved_encoding<decoders::ci16>());
    compare_unpack(interleaved_encoding<decoders::cu16>());
    compare_unpack(interleaved_encoding<decoders::cf32>());
    compare_unpack(interleaved_encoding<decoders::mwa16>());
    compare_unpack(interleaved_encoding<decoders::mwa8>());
    compare_unpack(stream_major_bits());
    compare_unpack(sign_magnitude_bits());
    for (const unsigned bits : {1, 2, 4}) {
        compare_unpack(packed_bits(bits, false));
        compare_unpack(packed_bits(bits, true));
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H */
