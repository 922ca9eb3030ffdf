/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H
#define INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H

#include "fast_kernels.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/packed_bits.h"
#include "kernels/unpack/stream_major_bits.h"
#include <algorithm>
#include <numeric>

// Every format, generic against fast ones, bit by bit.
namespace kernel_cases {

using namespace gr::fringe::kernels;

constexpr component all_components[] = {
    component::i8, component::i16, component::f32, component::level};

inline bool should_hold(const encoding& e, component c)
{
    const bool two_bits = e.code == sample_code::bits2 || e.code == sample_code::cbits2 ||
                          e.code == sample_code::sign_magnitude;
    return c == component::level ? two_bits : c >= e.natural;
}

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
        for (const auto c : all_components) {
            const auto at = static_cast<std::size_t>(c);
            BOOST_TEST((e.unpack[0][at] != nullptr) == should_hold(e, c));
            BOOST_TEST((e.unpack[1][at] != nullptr) == should_hold(e, c));
            if (!e.holds(c)) {
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

//! The same through unpackers, with recordings in several files.
inline void compare_unpackers(const encoding& e)
{
    for (const std::size_t inputs : {1, 2, 4, 6, 31, 64, 130}) {
        unpacker_params p;
        p.from = e;
        p.files = pick<std::size_t>({1, inputs % 2 ? 1u : 2u, inputs});
        p.block_samples = pick({8, 8, 128}) * (1 + random_below(200));
        p.rows.resize(inputs);
        std::iota(p.rows.begin(), p.rows.end(), 0);
        std::shuffle(p.rows.begin(), p.rows.end(), random_engine());
        for (const auto c : all_components) {
            if (!e.holds(c) || is_of_another_part()) {
                continue;
            }
            p.to = c;
            const auto raw =
                random_components(e.bits >= 32 ? component::f32 : component::i8,
                                  1 + e.bytes(inputs, p.block_samples));
            const std::size_t size = inputs * p.block_samples * e.sample_bytes(c);
            bytes expected(size, poison), got = expected;
            std::vector<std::uint64_t> counts(inputs, 7), same = counts;
            const auto reference = make_unpacker(backend::generic, p);
            const auto fast = make_fast_unpacker(p);
            const std::size_t samples = random_below(p.block_samples + 1);
            reference->process(raw.data(), expected.data());
            fast->process(raw.data(), got.data());
            BOOST_TEST((got == expected),
                       e.name << " " << inputs << " inputs to " << component_name(c));
            reference->count_saturated(expected.data(), samples, counts.data());
            fast->count_saturated(expected.data(), samples, same.data());
            BOOST_TEST(same == counts);
        }
    }
}

inline void compare_format(const encoding& e)
{
    if (tested().which.kind == backend::cpu) {
        compare_unpack(e);
    }
    compare_unpackers(e);
}

inline void unpack(double)
{
    compare_format(interleaved_encoding<decoders::i8>());
    compare_format(interleaved_encoding<decoders::u8>());
    compare_format(interleaved_encoding<decoders::i16>());
    compare_format(interleaved_encoding<decoders::u16>());
    compare_format(interleaved_encoding<decoders::f32>());
    compare_format(interleaved_encoding<decoders::ci8>());
    compare_format(interleaved_encoding<decoders::cu8>());
    compare_format(interleaved_encoding<decoders::cu8_128>());
    compare_format(interleaved_encoding<decoders::ci16>());
    compare_format(interleaved_encoding<decoders::cu16>());
    compare_format(interleaved_encoding<decoders::cf32>());
    compare_format(interleaved_encoding<decoders::mwa16>());
    compare_format(interleaved_encoding<decoders::mwa8>());
    compare_format(stream_major_bits());
    compare_format(sign_magnitude_bits());
    for (const unsigned bits : {1, 2, 4}) {
        compare_format(packed_bits(bits, false));
        compare_format(packed_bits(bits, true));
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_UNPACK_H */
