/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_LIMITS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_LIMITS_H

#include "kernels/base/types.h"

namespace gr::fringe::kernels {

//! What Gaussian noise stays between but for half the false-alarm rate at each side.
struct limits {
    double low, high;
};

/*!
 * Of the mean of n spectral kurtoses (n need not be whole), each of m spectra of independent complex Gaussian
 * noise,
 *
 *     SK = (m+1)/(m-1) (m S2 / S1^2 - 1)            expectation 1, variance about 4/m
 *
 * (Nita and Gary, MNRAS 406 (2010) L60, arXiv:1005.4371). The powers divided by their sum
 * S1 are uniform spacings, so all moments of SK are known exactly, as in the paper. The
 * upper limit is that of the Pearson curve with the first four. At the lower end that
 * curve is far off (a factor 0.1 to 100 in rate); the lower limit is the saddlepoint one
 * of S2 given S1 (Skovgaard, J. Appl. Prob. 24 (1987) 875). m >= 8.
 */
FRINGE_API limits kurtosis_limits(std::size_t m, double n, double false_alarm);

//! What the mean power of m spectra, divided by the median of n earlier ones, exceeds at
//! that rate in Gaussian noise: the F distribution, the median being as good as a mean of
//! 2n/pi.
FRINGE_API double power_limit(std::size_t m, std::size_t n, double false_alarm);

//! What (value - median) / (1.4826 MAD) exceeds at that rate, for normal values, and
//! median and MAD of n earlier ones: Student's t distribution with n/2.72 degrees of
//! freedom (the efficiency of the MAD), widened by the variance of the median.
FRINGE_API double deviation_limit(std::size_t n, double false_alarm);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_LIMITS_H */
