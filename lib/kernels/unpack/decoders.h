/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H

#include "kernels/base/host_device.h"
#include "kernels/unpack/decoder.h"
#include <limits>
#include <type_traits>

namespace gr::fringe::kernels::decoders {

//! Plain numbers, one component a word; unsigned ones are offset by half their range.
template <sample_code Code, class Word, bool Complex, component Natural, int Offset = 0>
struct plain {
    static constexpr sample_code code = Code;
    using word = Word;
    static constexpr bool is_complex = Complex;
    static constexpr std::size_t words_per_sample = Complex ? 2 : 1;
    static constexpr component natural = Natural;
    static constexpr float rail =
        std::is_integral_v<Word>
            ? static_cast<float>(std::numeric_limits<Word>::max() - Word(Offset))
            : 0;
    FRINGE_HOST_DEVICE static auto decode(word w, unsigned)
    {
        return w - static_cast<Word>(Offset);
    }
};

using i8 = plain<sample_code::i8, std::int8_t, false, component::i8>;
using u8 = plain<sample_code::u8, std::uint8_t, false, component::i8, 128>;
using i16 = plain<sample_code::i16, std::int16_t, false, component::i16>;
using u16 = plain<sample_code::u16, std::uint16_t, false, component::i16, 32768>;
using f32 = plain<sample_code::f32, float, false, component::f32>;
using ci8 = plain<sample_code::ci8, std::int8_t, true, component::i8>;
using cu8_128 = plain<sample_code::cu8_128, std::uint8_t, true, component::i8, 128>;
using ci16 = plain<sample_code::ci16, std::int16_t, true, component::i16>;
using cu16 = plain<sample_code::cu16, std::uint16_t, true, component::i16, 32768>;
using cf32 = plain<sample_code::cf32, float, true, component::f32>;

//! Two bytes of an RTL2832U: without a signal its converters stand between two numbers.
struct cu8 {
    static constexpr sample_code code = sample_code::cu8;
    using word = std::uint8_t;
    static constexpr bool is_complex = true;
    static constexpr std::size_t words_per_sample = 2;
    static constexpr component natural = component::f32;
    static constexpr float zero = 127.4f;
    static constexpr float rail = zero; // 255 is farther from zero than 0 is
    FRINGE_HOST_DEVICE static float decode(word w, unsigned)
    {
        return static_cast<float>(w) - zero;
    }
};

//! A 16-bit word: real in bits 0-4, imaginary in bits 5-9, two's complement.
struct mwa16 {
    static constexpr sample_code code = sample_code::mwa16;
    using word = std::uint16_t;
    static constexpr bool is_complex = true;
    static constexpr std::size_t words_per_sample = 1;
    static constexpr component natural = component::i8;
    static constexpr float rail = 15;
    FRINGE_HOST_DEVICE static int decode(word w, unsigned part)
    {
        return static_cast<int>(((w >> (5 * part)) & 31) ^ 16) - 16;
    }
};

//! A byte: real in the low nibble, imaginary in the high one, two's complement; a value
//! stands for the middle of its step, so half is added.
struct mwa8 {
    static constexpr sample_code code = sample_code::mwa8;
    using word = std::uint8_t;
    static constexpr bool is_complex = true;
    static constexpr std::size_t words_per_sample = 1;
    static constexpr component natural = component::f32;
    static constexpr float rail = 7.5f;
    FRINGE_HOST_DEVICE static float decode(word w, unsigned part)
    {
        return static_cast<float>(((w >> (4 * part)) & 15) ^ 8) - 7.5f;
    }
};

} // namespace gr::fringe::kernels::decoders

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_DECODERS_H */
