/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_LOOPS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_LOOPS_H

#include <cstddef>
#include <cstdint>

namespace gr::fringe::kernels {

// The loops of the CPU beamformer, compiled for several instruction sets. They work on one
// channel and some spectra at a time, a tile. In a tile, real parts of beam_lanes spectra
// stand in front of their imaginary parts, so that a product of complex numbers is four
// products of vectors and no number changes its place:
//
//     inputs   [time / beam_lanes][input][re, im][lane]
//     beams    [beam][time / beam_lanes][re, im][lane]

constexpr std::size_t beam_lanes = 8;
//! Values of a vector of spectra.
constexpr std::size_t beam_step = 2 * beam_lanes;
//! Beams formed side by side: their sums are as many as registers hold.
constexpr std::size_t beams_at_once = 4;

//! Brings `count` complex samples of an input to the lanes, the vectors `stride` values apart,
//! and zeros behind the last one.
void to_lanes(const float* row, std::size_t count, std::size_t stride, float* lanes);
void to_lanes(const std::int8_t* row,
              std::size_t count,
              std::size_t stride,
              float* lanes);
//! The same back: `count` complex samples of a beam.
void from_lanes(const float* lanes, std::size_t count, float* row);

/*!
 * Forms `width` beams, 1, 2 or 4, of `steps` vectors of spectra, from `used` inputs, which stand at
 * `offsets` in a vector of `stride` values. weights [used][beam][re, im].
 */
void form_beams(const float* inputs,
                std::size_t stride,
                const std::uint32_t* offsets,
                std::size_t used,
                const float* weights,
                std::size_t width,
                std::size_t steps,
                float* const* beams);

//! The sum of |x|^2 over `steps` vectors that are `stride` values apart.
double power_of(const float* lanes, std::size_t steps, std::size_t stride);
//! The sum of a conj(b) of two beams: re, im.
void product_of(const float* a, const float* b, std::size_t steps, double* sum);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_LOOPS_H */
