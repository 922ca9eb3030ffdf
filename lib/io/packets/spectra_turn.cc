/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spectra_turn.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

namespace {

constexpr std::size_t lanes = 8; // of a vector of 16 bytes
// Values are turned in squares, so that whole cache lines are read and written.
constexpr std::size_t square = 32;

typedef std::uint16_t words __attribute__((vector_size(16)));

__attribute__((always_inline)) inline void load_words(words& v, const void* from)
{
    std::memcpy(&v, from, sizeof(v));
}
__attribute__((always_inline)) inline void store_words(const words& v, void* to)
{
    std::memcpy(to, &v, sizeof(v));
}

// Element k of vector j becomes element j of vector k: halves are exchanged at a distance
// of four, two and one.
__attribute__((always_inline)) inline void turn_8x8(words (&x)[lanes])
{
    words y[lanes];
    for (std::size_t k = 0; k < 4; ++k) {
        y[2 * k] = __builtin_shufflevector(x[k], x[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        y[2 * k + 1] =
            __builtin_shufflevector(x[k], x[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (std::size_t k = 0; k < 4; ++k) {
        x[2 * k] = __builtin_shufflevector(y[k], y[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        x[2 * k + 1] =
            __builtin_shufflevector(y[k], y[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (std::size_t k = 0; k < 4; ++k) {
        y[2 * k] = __builtin_shufflevector(x[k], x[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        y[2 * k + 1] =
            __builtin_shufflevector(x[k], x[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::copy_n(y, lanes, x);
}

// Both components of an item's values, in their low four bits, as one byte. The bytes of a
// pair are distinguished by the value of the word, in whatever order they are in memory.
constexpr bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

template <class Word>
__attribute__((always_inline)) inline Word to_nibbles(const Word& pair)
{
    return little ? ((pair << 4 & 0xf0) | (pair >> 8 & 0x0f))
                  : ((pair >> 4 & 0xf0) | (pair & 0x0f));
}

// A byte (in a word) becomes a pair: each half is extended to eight bits.
template <class Word>
__attribute__((always_inline)) inline Word
from_nibbles(const Word& byte, bool high_real, std::uint16_t flip)
{
    const bool high_first = high_real == little; // in the low byte of the word
    const Word low = high_first ? byte >> 4 & 0x0f : byte & 0x0f;
    const Word high = high_first ? byte & 0x0f : byte >> 4 & 0x0f;
    // (x ^ flip) - 8 of each half; the first one's borrow stays within its byte.
    return (((low ^ flip) - 8) & 0xff) | (((high ^ flip) - 8) & 0xff) << 8;
}

// Two's complement becomes offset binary where its highest bit is flipped.
std::uint16_t flip_of(const nibble_code& code) { return code.offset_binary ? 0 : 8; }

// The value that is the first of two in memory.
template <class Word>
__attribute__((always_inline)) inline Word two_bytes(const Word& first,
                                                     const Word& second)
{
    return little ? (first | second << 8) : (first << 8 | second);
}
template <class Word>
__attribute__((always_inline)) inline Word byte_of(const Word& two, bool second)
{
    return (second == little ? two >> 8 : two) & 0xff;
}

} // namespace

// ------------------------------------------------------------- items to packets

FRINGE_SIMD void turn_pairs(const int8_pair* in,
                            std::size_t in_step,
                            std::size_t rows,
                            std::size_t times,
                            std::uint8_t* out,
                            std::size_t out_step)
{
    if (rows == 2 && out_step == 2 * sizeof(int8_pair)) {
        const int8_pair* const other = in + in_step;
        auto* const to = reinterpret_cast<int8_pair*>(out);
        for (std::size_t t = 0; t < times; ++t) {
            to[2 * t] = in[t];
            to[2 * t + 1] = other[t];
        }
        return;
    }
    const std::size_t whole_rows = rows / lanes * lanes,
                      whole_times = times / lanes * lanes;
    for (std::size_t t0 = 0; t0 < whole_times; t0 += square) {
        for (std::size_t r0 = 0; r0 < whole_rows; r0 += square) {
            for (std::size_t t = t0; t < std::min(t0 + square, whole_times); t += lanes) {
                for (std::size_t r = r0; r < std::min(r0 + square, whole_rows);
                     r += lanes) {
                    words x[lanes];
                    for (std::size_t k = 0; k < lanes; ++k) {
                        load_words(x[k], in + (r + k) * in_step + t);
                    }
                    turn_8x8(x);
                    for (std::size_t k = 0; k < lanes; ++k) {
                        store_words(x[k],
                                    out + (t + k) * out_step + r * sizeof(int8_pair));
                    }
                }
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t t = r < whole_rows ? whole_times : 0; t < times; ++t) {
            std::memcpy(out + t * out_step + r * sizeof(int8_pair),
                        in + r * in_step + t,
                        sizeof(int8_pair));
        }
    }
}

FRINGE_SIMD void turn_to_nibbles(const int8_pair* in,
                                 std::size_t in_step,
                                 std::size_t rows,
                                 std::size_t times,
                                 std::uint8_t* out,
                                 std::size_t out_step)
{
    if (rows == 2 && out_step == 2) {
        const int8_pair* const other = in + in_step;
        for (std::size_t t = 0; t < times; ++t) {
            out[2 * t] = static_cast<std::uint8_t>(to_nibbles<unsigned>(in[t]));
            out[2 * t + 1] = static_cast<std::uint8_t>(to_nibbles<unsigned>(other[t]));
        }
        return;
    }
    // Two rows make a word.
    const std::size_t whole_rows = rows / (2 * lanes) * (2 * lanes),
                      whole_times = times / lanes * lanes;
    for (std::size_t t0 = 0; t0 < whole_times; t0 += square) {
        for (std::size_t r0 = 0; r0 < whole_rows; r0 += square) {
            for (std::size_t t = t0; t < std::min(t0 + square, whole_times); t += lanes) {
                for (std::size_t r = r0; r < std::min(r0 + square, whole_rows);
                     r += 2 * lanes) {
                    words x[lanes];
                    for (std::size_t k = 0; k < lanes; ++k) {
                        words a, b;
                        load_words(a, in + (r + 2 * k) * in_step + t);
                        load_words(b, in + (r + 2 * k + 1) * in_step + t);
                        x[k] = two_bytes(to_nibbles(a), to_nibbles(b));
                    }
                    turn_8x8(x);
                    for (std::size_t k = 0; k < lanes; ++k) {
                        store_words(x[k], out + (t + k) * out_step + r);
                    }
                }
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t t = r < whole_rows ? whole_times : 0; t < times; ++t) {
            out[t * out_step + r] =
                static_cast<std::uint8_t>(to_nibbles<unsigned>(in[r * in_step + t]));
        }
    }
}

// ------------------------------------------------------------- packets to items

FRINGE_SIMD void turn_back_pairs(const std::uint8_t* const* in,
                                 std::size_t at,
                                 std::size_t rows,
                                 std::size_t times,
                                 int8_pair* out,
                                 std::size_t out_step)
{
    const std::size_t whole_rows = rows / lanes * lanes,
                      whole_times = times / lanes * lanes;
    for (std::size_t r0 = 0; r0 < whole_rows; r0 += square) {
        for (std::size_t t = 0; t < whole_times; t += lanes) {
            for (std::size_t r = r0; r < std::min(r0 + square, whole_rows); r += lanes) {
                words x[lanes];
                for (std::size_t k = 0; k < lanes; ++k) {
                    load_words(x[k], in[t + k] + at + r * sizeof(int8_pair));
                }
                turn_8x8(x);
                for (std::size_t k = 0; k < lanes; ++k) {
                    store_words(x[k], out + (r + k) * out_step + t);
                }
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t t = r < whole_rows ? whole_times : 0; t < times; ++t) {
            std::memcpy(out + r * out_step + t,
                        in[t] + at + r * sizeof(int8_pair),
                        sizeof(int8_pair));
        }
    }
}

FRINGE_SIMD void turn_back_nibbles(const std::uint8_t* const* in,
                                   std::size_t at,
                                   std::size_t rows,
                                   std::size_t times,
                                   nibble_code code,
                                   int8_pair* out,
                                   std::size_t out_step)
{
    const std::uint16_t flip = flip_of(code);
    const std::size_t whole_rows = rows / (2 * lanes) * (2 * lanes),
                      whole_times = times / lanes * lanes;
    for (std::size_t r0 = 0; r0 < whole_rows; r0 += square) {
        for (std::size_t t = 0; t < whole_times; t += lanes) {
            for (std::size_t r = r0; r < std::min(r0 + square, whole_rows);
                 r += 2 * lanes) {
                words x[lanes];
                for (std::size_t k = 0; k < lanes; ++k) {
                    load_words(x[k], in[t + k] + at + r);
                }
                turn_8x8(x);
                for (std::size_t k = 0; k < lanes; ++k) {
                    store_words(from_nibbles(byte_of(x[k], false), code.high_real, flip),
                                out + (r + 2 * k) * out_step + t);
                    store_words(from_nibbles(byte_of(x[k], true), code.high_real, flip),
                                out + (r + 2 * k + 1) * out_step + t);
                }
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t t = r < whole_rows ? whole_times : 0; t < times; ++t) {
            out[r * out_step + t] = static_cast<std::uint16_t>(
                from_nibbles<unsigned>(in[t][at + r], code.high_real, flip));
        }
    }
}

FRINGE_SIMD void divide_pairs(const std::uint8_t* in,
                              std::size_t times,
                              int8_pair* out,
                              std::size_t out_step)
{
    const auto* const from = reinterpret_cast<const int8_pair*>(in);
    int8_pair* const other = out + out_step;
    for (std::size_t t = 0; t < times; ++t) {
        out[t] = from[2 * t];
        other[t] = from[2 * t + 1];
    }
}

FRINGE_SIMD void divide_nibbles(const std::uint8_t* in,
                                std::size_t times,
                                nibble_code code,
                                int8_pair* out,
                                std::size_t out_step)
{
    const std::uint16_t flip = flip_of(code);
    const bool high_real = code.high_real;
    int8_pair* const other = out + out_step;
    for (std::size_t t = 0; t < times; ++t) {
        out[t] = static_cast<std::uint16_t>(
            from_nibbles<unsigned>(in[2 * t], high_real, flip));
        other[t] = static_cast<std::uint16_t>(
            from_nibbles<unsigned>(in[2 * t + 1], high_real, flip));
    }
}

} // namespace gr::fringe::io
