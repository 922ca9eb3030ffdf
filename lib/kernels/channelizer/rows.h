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
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

// The loops of the CPU channelizer, each over one row (one transform length) or one tile
// of finished spectra, compiled for several instruction sets. Complex numbers are
// interleaved floats.

//! out[n] = in[n], `in` of int8.
void widen_i8(const std::uint8_t* in, std::size_t count, float* out);
//! out[n] = in[n], `in` of int16 at any address.
void widen_i16(const std::uint8_t* in, std::size_t count, float* out);

//! Of one row, of int8 or int16 at any address: out[n] = h[n] in[n].
void weigh_i8(const std::uint8_t* in, const float* h, std::size_t width, float* out);
void weigh_i16(const std::uint8_t* in, const float* h, std::size_t width, float* out);
void weigh_complex_i8(
    const std::uint8_t* in, const float* h, std::size_t points, float sign, float* out);
void weigh_complex_i16(
    const std::uint8_t* in, const float* h, std::size_t points, float sign, float* out);

//! What channel k is multiplied by, e[k], or together with a row_turn; complex. `e` may
//! be null for 1 in a corner turn.
struct row_factors {
    const float* e;
    const float* g;

    row_factors from(std::size_t k) const
    {
        return {e ? e + 2 * k : nullptr, g ? g + 2 * k : nullptr};
    }
};

//! How the factors of a spectrum differ: (e[k] + slope g[k]) exp(2 pi i turns).
struct row_turn {
    double turns;
    float slope;
};

//! Spectra, [time][bin], `stride` floats from one to the next.
struct bins_of_spectra {
    float* first;
    std::size_t stride;
    std::size_t spectra;
};

//! Bin k of every spectrum, of `count`, is multiplied by f[k], complex: by e[k], or where there
//! are turns, [time], by that of its turn.
void multiply_bins(const row_factors& f,
                   const row_turn* turns,
                   const bins_of_spectra& x,
                   std::size_t count);

//! row[k] *= exp(2 pi i (turns + k slope)), complex.
FRINGE_API void turn_row(double turns, double slope, std::size_t count, float* row);

//! Rounds to nearest even and clips to +-limit; returns how many were clipped.
std::size_t quantize_row(
    const float* in, std::size_t count, float gain, float limit, std::int8_t* out);

//! A tile of spectra, [time][channel], `stride` elements from one to the next.
struct tile_rows {
    const void* first;
    std::size_t stride;
    std::size_t spectra;
};

//! Spectra of a tile of complex floats at the most.
constexpr std::size_t max_tile_spectra = 64;

//! tile to out [channel][time], complex; out_stride in elements. Each spectrum is
//! multiplied by the factors and its turn, [time], as in multiply_bins().
void corner_turn_8(const tile_rows& tile,
                   std::size_t channels,
                   const row_factors& f,
                   const row_turn* turns,
                   void* out,
                   std::size_t out_stride);
//! The same for elements of 2 bytes, without factors.
void corner_turn_2(const tile_rows& tile,
                   std::size_t channels,
                   void* out,
                   std::size_t out_stride);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_ROWS_H */
