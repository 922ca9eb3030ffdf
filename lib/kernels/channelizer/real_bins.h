/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_REAL_BINS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_REAL_BINS_H

#include "kernels/base/aligned.h"
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

/*!
 * The bins of 2 N real samples from the transform Z of N complex numbers, each of which is two
 * samples that follow one another: with Z*[k] the conjugate of Z[N - k],
 *
 *     X[k] = (Z[k] + Z*[k]) / 2 + exp(-2 pi i k / 2N) (Z[k] - Z*[k]) / 2i,    k = 0 ... N.
 */
class FRINGE_API real_bins
{
public:
    //! N, a multiple of 16.
    explicit real_bins(std::size_t count);

    //! N bins become N + 1, in place.
    void make(std::complex<float>* bins) const;

private:
    const std::size_t d_count;
    //! [k / 8]: exp(-2 pi i k / 2N) / 2i for eight k, from k = 1 on: real parts, each twice, then
    //! imaginary ones, each with both signs, minus first.
    aligned_vector<float> d_factors;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_REAL_BINS_H */
