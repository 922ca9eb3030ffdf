/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_FFT_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_FFT_H

#include "kernels/channelizer/real_bins.h"
#include "kernels/channelizer/wide_transform.h"
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <optional>

namespace gr::fringe::kernels {

/*!
 * Forward transform of one spectrum in single precision, exp(-2 pi i k n / N): wide_transform
 * where it serves and is fast, else FFTW's.
 * Complex input gives N bins, real input N/2 + 1. Input and output are apart and start
 * on 64-byte boundaries.
 */
class transform_f32
{
public:
    transform_f32(std::size_t points, bool complex_samples);
    ~transform_f32();
    transform_f32(const transform_f32&) = delete;
    transform_f32& operator=(const transform_f32&) = delete;

    //! It takes sixteen numbers, or pairs of real samples, as row_filter stores them `apart`.
    static bool takes_apart(std::size_t points, bool complex_samples);
    void run(float* in, std::complex<float>* out, bool apart = false) const;

private:
    const bool d_complex;
    std::optional<wide_transform> d_wide; //!< of two real samples as a complex one
    std::optional<real_bins> d_bins;
    void* d_plan; //!< FFTW's, or null
};

//! The same in double precision, complex to complex in place.
class FRINGE_API transform_f64
{
public:
    explicit transform_f64(std::size_t points);
    ~transform_f64();
    transform_f64(const transform_f64&) = delete;
    transform_f64& operator=(const transform_f64&) = delete;

    void run(std::complex<double>* data) const;

private:
    void* d_plan;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_FFT_H */
