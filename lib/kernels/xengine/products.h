/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_PRODUCTS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_PRODUCTS_H

#include <cstddef>
#include <cstdint>

namespace gr {
namespace fringe {
namespace kernels {

// The loops of the CPU X-engine, compiled for several instruction sets.

//! More inputs than that are faster on BLAS.
constexpr std::size_t max_f32_inputs = 128;
//! Channels that are summed side by side, in the lanes of vectors.
constexpr std::size_t lanes = 8;

/*!
 * Complex float32 [channel][input][time], rows of `count` spectra, `stride` spectra
 * apart; at most max_f32_inputs. The products are added to `sums`
 * [channel / lanes][baseline][re, im][lane], so few spectra a call are as good as many.
 * Lanes beyond the last channel hold nothing of use.
 */
void add_products_f32(const float* rows,
                      std::size_t inputs,
                      std::size_t stride,
                      std::size_t count,
                      std::size_t channels,
                      float* sums);

/*!
 * One channel of complex int8 rows as int16, `stride` values apart, in two forms: x = (re,
 * im) and y = (im, -re). Then Re = sum x_i . x_j and Im = sum y_i . x_j, the multiply-add
 * of neighbours that every instruction set has. They are added to `sums`, the packed
 * triangle (re, im). `values` is twice the number of spectra and a multiple of
 * product_step; the rest of a row is zero.
 */
void add_products_i16(const std::int16_t* x,
                      const std::int16_t* y,
                      std::size_t inputs,
                      std::size_t stride,
                      std::size_t values,
                      std::int32_t* sums);

constexpr std::size_t product_step = 32;

//! x = (re, im) and y = (im, -re) of a row of complex int8, filled up with zeros.
void widen_pairs(const std::int8_t* in,
                 std::size_t count,
                 std::size_t values,
                 std::int16_t* x,
                 std::int16_t* y);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_PRODUCTS_H */
