/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_POWER_SUM_TAIL_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_POWER_SUM_TAIL_H

#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

/*!
 * The sum S of the powers of n inputs at one instant, each with the mean 1, in Gaussian noise.
 *
 * S = sum over k of lambda_k g_k, where lambda_k are the eigenvalues of the matrix of the
 * correlations of the inputs, and g_k are exponentially distributed (complex samples) or
 * chi-square with one degree of freedom (real ones). Independent inputs have lambda_k = 1. What
 * the inputs have in common makes some larger, and the variance of S `excess` times that of
 * independent inputs. The longest tail that this allows is that of one common signal:
 *
 *     lambda_1 = 1 + sqrt((n - 1) (excess - 1)),   the others (n - lambda_1) / (n - 1)
 *
 * Returns the value that S exceeds with the probability `rate`, 1e-12 to 0.1, by the
 * saddlepoint approximation of Lugannani and Rice (Adv. Appl. Prob. 12, 475, 1980).
 */
FRINGE_API double
power_sum_limit(std::size_t n, bool complex_samples, double excess, double rate);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_POWER_SUM_TAIL_H */
