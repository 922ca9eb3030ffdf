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

namespace gr::fringe::kernels {

// The loops of the CPU X-engine for many int8 spectra, compiled for several instruction
// sets.

/*!
 * One channel of complex int8 rows as int16, `stride` values apart, in two forms: x = (re,
 * im) and y = (im, -re). Then Re = sum x_i . x_j and Im = sum y_i . x_j, the multiply-add
 * of neighbors that every instruction set has. They are added to `sums`, the packed
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

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_PRODUCTS_H */
