/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_FILTER_ROWS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_FILTER_ROWS_H

#include <cstddef>

namespace gr::fringe::kernels {

//! Windows that follow one another by a row, for filter_rows().
struct row_filter {
    const float* const* rows; //!< [taps - 1 + spectra], at any address
    bool complex_samples;     //!< real and imaginary parts interleaved
    bool conjugated;          //!< of complex samples
    const float* h;           //!< [taps][points]
    std::size_t taps;
    std::size_t points; //!< of a row
    float* out;         //!< [spectra], `stride` floats apart
    std::size_t stride;
    std::size_t spectra;
    //! Of sixteen complex numbers first the real parts, then the imaginary ones. For processors with
    //! vectors of sixteen floats, and rows of 64.
    bool apart = false;
};

//! Spectra that filter_rows() works on together.
constexpr std::size_t filter_together = 8;

/*!
 * out[s][n] = sum over taps of h[tap][n] rows[s + tap][n], the first tap first, so that a
 * window's sum is the same whichever others are made with it. Samples and coefficients
 * are read once for eight windows.
 */
void filter_rows(const row_filter& f);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_FILTER_ROWS_H */
