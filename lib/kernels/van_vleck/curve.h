/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_VAN_VLECK_CURVE_H
#define INCLUDED_FRINGE_KERNELS_VAN_VLECK_CURVE_H

#include <array>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

//! Where a quantizer's output rises, in standard deviations of its input, and by how
//! much.
struct quantizer_step {
    double at;
    double rise;
};
using quantizer = std::vector<quantizer_step>;

//! -1 and 1.
FRINGE_API quantizer one_bit_quantizer();
//! -outer, -1, 1 and outer, thresholds -t, 0 and t.
FRINGE_API quantizer two_bit_quantizer(double outer, double t);
//! Mean square of what the two-bit quantizer puts out, and the t that has it: between 1
//! and outer^2.
FRINGE_API double two_bit_power(double outer, double t);
FRINGE_API double two_bit_threshold(double outer, double power);

/*!
 * The mean product of two quantized Gaussian signals as a function of their true
 * correlation r, and its inverse.
 *
 * By Price's theorem its derivative is the sum, over all steps a of one and b of the
 * other quantizer, of the rises times the bivariate normal density at (a, b). With
 * r = sin(theta) the density's pole at r = 1 goes away:
 *
 *     df/dtheta = 1 / (2 pi) sum_ab rise_a rise_b
 *                 exp(-(a - b)^2 / (2 cos^2 theta) - a b / (1 + sin theta))
 *
 * which is integrated by Gauss's rule between nodes of theta; between them f is the cubic
 * through values and slopes. One bit: f = 2 / pi asin r (Van Vleck & Middleton, Proc.
 * IEEE 54, 2, 1966). Several levels: Price, IRE Trans. IT-4, 69, 1958. Quantizers must be
 * symmetric about 0.
 */
class FRINGE_API correlation_curve
{
public:
    correlation_curve(const quantizer& x, const quantizer& y);

    //! Mean product for a true correlation of -1 ... 1.
    double quantized(double r) const;
    //! True correlation for a mean product; +-1 beyond what there can be.
    double correlation(double product) const;

private:
    static constexpr unsigned nodes = 96;

    double between(unsigned k, double x) const;

    std::array<double, nodes + 1> d_value, d_slope; // at theta = k d_step; slope times it
    double d_step;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_VAN_VLECK_CURVE_H */
