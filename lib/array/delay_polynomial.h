/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DELAY_POLYNOMIAL_H
#define INCLUDED_FRINGE_ARRAY_DELAY_POLYNOMIAL_H

#include <array>
#include <functional>
#include <gnuradio/fringe/epoch.h>
#include <vector>

namespace gr::fringe::array {

/*!
 * The delay of one antenna over an interval, as a polynomial in the seconds x since the
 * middle of the interval:
 *
 *     tau(x) = c[0] + c[1] x + c[2] x^2 + ...      seconds, |x| <= half
 */
struct FRINGE_API delay_polynomial {
    epoch middle;
    double half = 0;       //!< half the length of the interval, seconds
    std::vector<double> c; //!< seconds / second^k
    double error = 0;      //!< bound on |tau(x) - the model|, seconds

    double value(double x) const;
    double rate(double x) const; //!< seconds / second
    //! Its first terms about x: tau(x + t) = r[0] + r[1] t + r[2] t^2 + r[3] t^3 + ...
    std::array<double, 4> cubic(double x) const;
    //! The same at an instant. Throws std::invalid_argument outside the interval.
    double value(const epoch& t) const { return value(place(t)); }
    double rate(const epoch& t) const { return rate(place(t)); }

private:
    double place(const epoch& t) const;
};

/*!
 * The polynomials of a degree through functions of time at Chebyshev's points, which is
 * within a factor of two of the best there is. f(t) gives the values of all functions.
 *
 * The bound is twice the largest miss at the points where Chebyshev's polynomial of the
 * next degree has its extremes, and the rounding of the values.
 */
FRINGE_API std::vector<delay_polynomial>
fit_polynomials(const std::function<std::vector<double>(const epoch&)>& f,
                const epoch& start,
                double seconds,
                unsigned degree);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_DELAY_POLYNOMIAL_H */
