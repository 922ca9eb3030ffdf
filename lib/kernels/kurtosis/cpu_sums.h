/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_CPU_SUMS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_CPU_SUMS_H

#include "kernels/base/simd.h"
#include <cstddef>
#include <cstdint>

/*
 * Sums of powers in vectors, of a block in either layout. Both layouts give the same bits of
 * the same spectra: those of int8 are exact, and those of float32 are added up in one order,
 * every fourth spectrum in a sum of its own, then (0 + 1) + (2 + 3).
 */

namespace gr::fringe::kernels {

typedef std::int8_t bytes16 __attribute__((vector_size(16)));
typedef std::int16_t words __attribute__((vector_size(32)));
typedef std::int32_t ints __attribute__((vector_size(32)));
typedef std::uint32_t uints __attribute__((vector_size(32)));
typedef std::uint64_t longs __attribute__((vector_size(64)));

//! This number of squared powers of int8 fits into 32 bits: each is 2^30 at most.
constexpr std::size_t squares_in_32_bits = 3;
//! Powers of int8, 2^15 at most, are added up in 32 bits over a block of fewer spectra.
constexpr std::size_t max_block_spectra = 1 << 17;

//! Squares of the components of four samples v, which are overwritten, go to `a`, their squared
//! powers to `b`, each of those twice.
__attribute__((always_inline)) inline void add_powers(floats& v, floats& a, floats& b)
{
    v *= v;
    a += v;
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    b += v * v;
}
//! The same of eight samples.
__attribute__((always_inline)) inline void
add_powers(wide_floats& v, wide_floats& a, wide_floats& b)
{
    v *= v;
    a += v;
    v += __builtin_shufflevector(
        v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    b += v * v;
}

//! Powers of eight samples. Squares fit into 16 bits, and pairs of them are added up as
//! halves of 32.
__attribute__((always_inline)) inline void read_powers(const std::int8_t* x,
                                                       uints& powers)
{
    bytes16 v;
    std::memcpy(&v, x, sizeof(v));
    words squares = __builtin_convertvector(v, words);
    squares *= squares;
    uints both;
    std::memcpy(&both, &squares, sizeof(both));
    powers = (both & 0xffff) + (both >> 16);
}

//! A block of spectra in components, and how many of its spectra are added up.
struct block_shape {
    std::size_t rows;   //!< channel-major: channels and inputs; time-major: inputs
    std::size_t stride; //!< from one row to the next
    std::size_t count;  //!< spectra
    std::size_t channels = 0, spectrum = 0; //!< time-major: from one spectrum to the next
};

//! Adds [row] of a channel-major block, and copies it unless `copy` is null. s1 and s2 have
//! room for whole groups of eight rows.
void add_rows_f32(
    const float* x, const block_shape& b, float* copy, float* s1, float* s2);
void add_rows_i8(const std::int8_t* x,
                 const block_shape& b,
                 std::int8_t* copy,
                 std::uint64_t* s1,
                 std::uint64_t* s2);
//! Adds [input][channel] of a time-major block; sums of an input are spectra_row() apart.
void add_columns_f32(const float* x, const block_shape& b, float* s1, float* s2);
void add_columns_i8(const std::int8_t* x,
                    const block_shape& b,
                    std::uint64_t* s1,
                    std::uint64_t* s2);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_CPU_SUMS_H */
