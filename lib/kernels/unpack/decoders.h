/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H

#include "kernels/unpack/decoder.h"

namespace gr {
namespace fringe {
namespace kernels {
namespace decoders {

//! Plain numbers, one component a word; unsigned ones are offset by half their range.
template <class Word, bool Complex, component Natural, int Offset = 0>
struct plain {
    using word = Word;
    static constexpr bool is_complex = Complex;
    static constexpr std::size_t words_per_sample = Complex ? 2 : 1;
    static constexpr component natural = Natural;
    static auto decode(word w, unsigned) { return w - static_cast<Word>(Offset); }
};

using i8 = plain<std::int8_t, false, component::i8>;
using u8 = plain<std::uint8_t, false, component::i8, 128>;
using i16 = plain<std::int16_t, false, component::i16>;
using u16 = plain<std::uint16_t, false, component::i16, 32768>;
using f32 = plain<float, false, component::f32>;
using ci8 = plain<std::int8_t, true, component::i8>;
using cu8 = plain<std::uint8_t, true, component::i8, 128>;
using ci16 = plain<std::int16_t, true, component::i16>;
using cu16 = plain<std::uint16_t, true, component::i16, 32768>;
using cf32 = plain<float, true, component::f32>;

//! A 16-bit word: real in bits 0-4, imaginary in bits 5-9, two's complement.
struct mwa16 {
    using word = std::uint16_t;
    static constexpr bool is_complex = true;
    static constexpr std::size_t words_per_sample = 1;
    static constexpr component natural = component::i8;
    static int decode(word w, unsigned part)
    {
        return static_cast<int>(((w >> (5 * part)) & 31) ^ 16) - 16;
    }
};

//! A byte: real in the low nibble, imaginary in the high one, two's complement; a value
//! stands for the middle of its step, so half is added.
struct mwa8 {
    using word = std::uint8_t;
    static constexpr bool is_complex = true;
    static constexpr std::size_t words_per_sample = 1;
    static constexpr component natural = component::f32;
    static float decode(word w, unsigned part)
    {
        return static_cast<float>(((w >> (4 * part)) & 15) ^ 8) - 7.5f;
    }
};

} // namespace decoders
} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H */
