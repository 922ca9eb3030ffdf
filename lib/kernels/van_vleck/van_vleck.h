/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_VAN_VLECK_VAN_VLECK_H
#define INCLUDED_FRINGE_KERNELS_VAN_VLECK_VAN_VLECK_H

#include "kernels/base/types.h"
#include "kernels/channelizer/fft.h"
#include "kernels/van_vleck/curve.h"
#include <complex>
#include <string>

namespace gr::fringe::kernels {

struct van_vleck_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    bool complex_samples = true;
    unsigned bits = 2; //!< of a real sample, or of each part of a complex one: 1 or 2
    unsigned taps = 4; //!< of the channelizer
    std::string window = "hann";
};

/*!
 * Takes the statistics of 1-bit or 2-bit samples out of a dump.
 *
 * Quantizing acts on samples, that is on lags. With N the transform length, h the
 * channelizer's filter and a(n) = sum h[m] h[m + n] / N, for each product
 *
 *     R(n) = 1/N sum_k V_k exp(+2 pi i k n / N) / a(n),      n = -N/2 ... N/2
 *     R'(n) = s_i s_j f_ij^-1(R(n)),                          f: correlation_curve
 *     V'_k = sum_n a(n) R'(n) exp(-2 pi i k n / N)
 *
 * complex samples: f^-1 of real and imaginary part, each half as large. s is the standard
 * deviation: with 2 bits that of the thresholds' place, t / sigma from the power R_ii(0),
 * the thresholds standing half way between the levels (1 + 3.3359) / 2; with 1 bit, from
 * which no power can be determined, s^2 is R_ii(0) itself. Lags at which a(n) < 0.2 are scaled
 * by the slope of f^-1 at 0. Real samples: the channel at half the sample rate, which is
 * not there, is taken to be like the last.
 *
 * Products of inputs without power stay as they are.
 */
class FRINGE_API van_vleck
{
public:
    //! Throws std::invalid_argument.
    explicit van_vleck(const van_vleck_params& p);
    ~van_vleck();
    //! A dump [channel][baseline], in place.
    void correct(std::complex<float>* visibilities);

private:
    struct statistics {
        bool good = false;
        double scale = 0; // by which R is divided: quantized power, or 1
        double sigma = 0; // standard deviation of the true signal
        quantizer steps;
    };

    void gather(const std::complex<float>* v, std::size_t baseline);
    void scatter(std::complex<float>* v, std::size_t baseline);
    void to_lags();
    statistics statistics_of(double power) const;
    void correct_lags(const statistics& x, const statistics& y);
    std::size_t bin(std::size_t channel) const;

    const van_vleck_params d_p;
    const std::size_t d_points;
    const transform_f64 d_transform;
    std::vector<double> d_taper; // a(n), [lag], negative lags behind
    const correlation_curve d_one_bit;
    std::vector<std::complex<double>> d_spectrum; // [bin], and the lags
    std::vector<statistics> d_inputs;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_VAN_VLECK_VAN_VLECK_H */
