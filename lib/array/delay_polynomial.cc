/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/delay_polynomial.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// Of a delay of thousands of kilometers: ERFA's angle of the earth's rotation has steps
// of 3e-14 rad.
constexpr double rounding = 1e-15;

// Powers of u from the coefficients of Chebyshev's polynomials:
// T_k+1 = 2 u T_k - T_k-1.
std::vector<double> powers_of(const std::vector<double>& chebyshev)
{
    const std::size_t n = chebyshev.size();
    std::vector<double> sum(n), before(n), t(n);
    t[0] = 1;
    sum[0] = chebyshev[0];
    for (std::size_t k = 1; k < n; ++k) {
        std::vector<double> next(n);
        for (std::size_t p = 0; p < n; ++p) {
            next[p] = (p > 0 ? (k > 1 ? 2 : 1) * t[p - 1] : 0) - before[p];
        }
        before = t;
        t = next;
        for (std::size_t p = 0; p < n; ++p) {
            sum[p] += chebyshev[k] * t[p];
        }
    }
    return sum;
}

} // namespace

double delay_polynomial::value(double x) const
{
    double sum = 0;
    for (std::size_t k = c.size(); k-- > 0;) {
        sum = sum * x + c[k];
    }
    return sum;
}

double delay_polynomial::rate(double x) const
{
    double sum = 0;
    for (std::size_t k = c.size(); k-- > 1;) {
        sum = sum * x + static_cast<double>(k) * c[k];
    }
    return sum;
}

// Horner's scheme, four times over: what one leaves is what the next starts from.
std::array<double, 4> delay_polynomial::cubic(double x) const
{
    std::array<double, 4> r{};
    for (std::size_t k = c.size(); k-- > 0;) {
        for (std::size_t n = r.size() - 1; n > 0; --n) {
            r[n] = r[n] * x + r[n - 1];
        }
        r[0] = r[0] * x + c[k];
    }
    return r;
}

double delay_polynomial::place(const epoch& t) const
{
    const double x = t.seconds_since(middle);
    if (!(std::abs(x) <= half)) {
        throw std::invalid_argument("delay polynomial: " + t.iso(6) +
                                    " is not in its interval, from " +
                                    middle.plus_seconds(-half).iso(6) + " to " +
                                    middle.plus_seconds(half).iso(6));
    }
    return x;
}

std::vector<delay_polynomial>
fit_polynomials(const std::function<std::vector<double>(const epoch&)>& f,
                const epoch& start,
                double seconds,
                unsigned degree)
{
    const std::size_t n = degree + 1;
    const double half = seconds / 2;
    const epoch middle = start.plus_seconds(half);
    std::vector<std::vector<double>> y; // [point][function]
    std::vector<double> u;
    for (std::size_t j = 0; j < n; ++j) {
        u.push_back(
            std::cos(M_PI * (static_cast<double>(j) + 0.5) / static_cast<double>(n)));
        y.push_back(f(middle.plus_seconds(half * u[j])));
    }
    std::vector<delay_polynomial> fits(y[0].size());
    for (std::size_t i = 0; i < fits.size(); ++i) {
        std::vector<double> chebyshev(n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                chebyshev[k] += (k > 0 ? 2 : 1) * y[j][i] *
                                std::cos(static_cast<double>(k) * std::acos(u[j])) /
                                static_cast<double>(n);
            }
        }
        fits[i].middle = middle;
        fits[i].half = half;
        fits[i].c = powers_of(chebyshev);
        double unit = 1;
        for (double& c : fits[i].c) {
            c /= unit;
            unit *= half;
        }
    }
    for (std::size_t j = 0; j <= n; ++j) {
        const double x =
            half * std::cos(M_PI * static_cast<double>(j) / static_cast<double>(n));
        const std::vector<double> truth = f(middle.plus_seconds(x));
        for (std::size_t i = 0; i < fits.size(); ++i) {
            const double miss = 2 * std::abs(fits[i].value(x) - truth[i]);
            fits[i].error = std::max(fits[i].error, miss + rounding);
        }
    }
    return fits;
}

} // namespace gr::fringe::array
