/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_PULSE_LIMITS_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_PULSE_LIMITS_H

#include "kernels/blanking/blanking.h"

namespace gr::fringe::kernels {

/*!
 * Finds above which powers a sample is a pulse, from the cells of a window.
 *
 * The level of an input is the median of its cells: pulses that touch fewer than half of the
 * cells hardly move it. A cell of noise has a gamma distribution; its number of degrees of
 * freedom follows from the quartiles, and so the mean from the median. A level that is
 * measured with an error s is exceeded more often, so the limit is q (1 + b q s^2 / 2) times
 * the level, where q is the quantile of an exponential (complex) or a chi-square (real)
 * distribution, and its tail falls as exp(-b q).
 *
 * The variance of the sum over the inputs is compared with the sum of the variances: the sky
 * and interference that lasts are common to the inputs. See power_sum_tail.h.
 */
class FRINGE_API pulse_limits
{
public:
    //! `false_alarm`: part of the samples of an input that exceed a limit in noise, half of
    //! them that of the sum over the inputs where there are several. bad_input: [input], not
    //! in the sum; or empty.
    pulse_limits(std::size_t inputs,
                 bool complex_samples,
                 double false_alarm,
                 std::vector<char> bad_input);

    blanking_limits find(const window_levels& levels) const;
    //! Limits of the same window: near the median of the sum over the inputs, of no single input;
    //! or, where not `wanted`, of nothing.
    blanking_limits middle(const blanking_limits& of, bool wanted) const;

private:
    double own_limit(const cell_levels& l) const;

    const std::size_t d_inputs;
    const bool d_complex;
    const std::vector<char> d_bad_input;
    const double d_rate;     //!< of each of the two limits
    const double d_quantile; //!< of the power of one input
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_PULSE_LIMITS_H */
