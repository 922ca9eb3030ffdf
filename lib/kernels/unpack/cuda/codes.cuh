/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_CODES_CUH
#define INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_CODES_CUH

#include "kernels/unpack/bit_levels.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::kernels::codes {

// What the kernels know of an encoding:
//
//     parts                   components of a sample
//     bits                    of a sample
//     natural                 narrowest component that holds the values
//     backwards               the first sample is in the highest bit of a byte
//     part_bit(part)          where the code of a component begins in a sample
//     code_bits               of the code of a component
//     decode<Out>(code, part) its value
//
// The values come from the decoders of the other backends.

template <class D>
struct words {
    static constexpr unsigned parts = D::is_complex ? 2 : 1;
    static constexpr unsigned code_bits = 8 * sizeof(typename D::word);
    static constexpr unsigned bits = code_bits * D::words_per_sample;
    static constexpr component natural = D::natural;
    static constexpr bool backwards = false;
    __device__ static constexpr unsigned part_bit(unsigned part)
    {
        return D::words_per_sample > 1 ? part * code_bits : 0;
    }
    template <class Out>
    __device__ static Out decode(unsigned code, unsigned part)
    {
        typename D::word word;
        if constexpr (sizeof(word) == 4) {
            word = __uint_as_float(code);
        } else {
            word = static_cast<typename D::word>(code);
        }
        return static_cast<Out>(D::decode(word, part));
    }
};

template <unsigned Kind, unsigned Parts, bool Backwards = false>
struct levels {
    static constexpr unsigned parts = Parts;
    static constexpr unsigned code_bits = bit_levels::width(Kind);
    static constexpr unsigned bits = code_bits * parts;
    static constexpr component natural = code_bits == 2 ? component::f32 : component::i8;
    static constexpr bool backwards = Backwards;
    __device__ static constexpr unsigned part_bit(unsigned part)
    {
        return part * code_bits;
    }
    template <class Out>
    __device__ static Out decode(unsigned code, unsigned)
    {
        return bit_levels::level<Kind, Out>(code);
    }
};

//! f(a codes type) for the encoding.
template <class F>
auto visit(sample_code code, const F& f)
{
    switch (code) {
    case sample_code::i8:
        return f(words<decoders::i8>());
    case sample_code::u8:
        return f(words<decoders::u8>());
    case sample_code::i16:
        return f(words<decoders::i16>());
    case sample_code::u16:
        return f(words<decoders::u16>());
    case sample_code::f32:
        return f(words<decoders::f32>());
    case sample_code::ci8:
        return f(words<decoders::ci8>());
    case sample_code::cu8:
        return f(words<decoders::cu8>());
    case sample_code::cu8_128:
        return f(words<decoders::cu8_128>());
    case sample_code::ci16:
        return f(words<decoders::ci16>());
    case sample_code::cu16:
        return f(words<decoders::cu16>());
    case sample_code::cf32:
        return f(words<decoders::cf32>());
    case sample_code::mwa16:
        return f(words<decoders::mwa16>());
    case sample_code::mwa8:
        return f(words<decoders::mwa8>());
    case sample_code::bits1:
        return f(levels<1, 1>());
    case sample_code::bits2:
        return f(levels<2, 1>());
    case sample_code::bits4:
        return f(levels<4, 1>());
    case sample_code::cbits1:
        return f(levels<1, 2>());
    case sample_code::cbits2:
        return f(levels<2, 2>());
    case sample_code::cbits4:
        return f(levels<4, 2>());
    case sample_code::sign_magnitude:
        return f(levels<bit_levels::sign_first, 1>());
    case sample_code::stream_major:
        break;
    }
    return f(levels<1, 1, true>());
}

} // namespace gr::fringe::kernels::codes

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_CODES_CUH */
