/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_WIDE_TRANSFORM_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_WIDE_TRANSFORM_H

#include "kernels/base/aligned.h"
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

/*!
 * The forward transform of N = 256, 512, 1024, 2048 or 4096 complex numbers, exp(-2 pi i k n / N),
 * by vectors of sixteen floats. With n = n1 M + n2, M = N/16, and k = k1 + 16 k2,
 *
 *     X[k] = sum_n2 exp(-2 pi i n2 k2 / M) exp(-2 pi i n2 k1 / N)
 *            sum_n1 exp(-2 pi i n1 k1 / 16) x[n1 M + n2].
 *
 * The sums over n1 have n2 for their lanes, in groups of sixteen: n2 = 16 g + 4 q + e. Then q and
 * k1 / 4 change places, so that sums over g and q have e and k1 / 4 for their lanes; then e
 * and k1 mod 4, and the sums over e have k1, as the bins have in memory. Of each exchange half is
 * done where the numbers are in registers. Always the same sums in the same order: nothing is
 * measured.
 */
class FRINGE_API wide_transform
{
public:
    static bool serves(std::size_t points);
    //! This processor has such vectors: else FFTW is faster.
    static bool is_fast();

    //! Throws std::invalid_argument.
    explicit wide_transform(std::size_t points);

    //! From and to memory on 64-byte boundaries. `apart`: of sixteen numbers the real parts, then the
    //! imaginary ones, not interleaved. For all threads.
    void run(const float* in, bool apart, std::complex<float>* out) const;

private:
    const std::size_t d_groups;
    // Factors, as the passes take them.
    aligned_vector<float> d_first;   //!< exp(-2 pi i n2 k1 / N)
    aligned_vector<float> d_between; //!< behind the sums over g
    aligned_vector<float> d_last;    //!< behind the sums over q
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_WIDE_TRANSFORM_H */
