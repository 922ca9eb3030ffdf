/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_ROWS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_ROWS_H

#include <cstddef>
#include <cstdint>

namespace gr {
namespace fringe {
namespace kernels {

// The loops of the CPU channelizer, each over one row (one transform length) or one tile
// of finished spectra, compiled for several instruction sets. Complex numbers are
// interleaved floats.

//! out[n] = in[n], `in` of int8.
void widen_i8(const std::uint8_t* in, std::size_t count, float* out);
//! out[n] = in[n], `in` of int16 at any address.
void widen_i16(const std::uint8_t* in, std::size_t count, float* out);

//! out[n] = sum over taps of h[tap width + n] rows[tap][n].
void filter_rows(const float* const* rows,
                 const float* h,
                 std::size_t taps,
                 std::size_t width,
                 float* out);

//! out[k] = c[k] bins[k], complex; c may be null for 1.
void copy_bins(const float* bins, std::size_t count, const float* c, float* out);
//! out[k] = c[k] conj(bins[-k]), complex; c may be null for 1.
void mirror_bins(const float* bins, std::size_t count, const float* c, float* out);

//! row[k] *= exp(2 pi i (turns + k slope)), complex.
void turn_row(double turns, double slope, std::size_t count, float* row);

//! Rounds to nearest even and clips to +-limit; returns how many were clipped.
std::size_t quantize_row(
    const float* in, std::size_t count, float gain, float limit, std::int8_t* out);

//! tile [time][channel] to out [channel][time], elements of 8 bytes; strides in elements.
void corner_turn_8(const void* tile,
                   std::size_t tile_stride,
                   std::size_t channels,
                   std::size_t spectra,
                   void* out,
                   std::size_t out_stride);
//! The same for elements of 2 bytes.
void corner_turn_2(const void* tile,
                   std::size_t tile_stride,
                   std::size_t channels,
                   std::size_t spectra,
                   void* out,
                   std::size_t out_stride);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_ROWS_H */
