/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_LAGRANGE_H
#define INCLUDED_FRINGE_ARRAY_LAGRANGE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gr::fringe::array {

//! Where `count` neighbors of x begin among ascending abscissae: as many on either side,
//! fewer on one at the ends. There must be at least `count` abscissae.
inline std::size_t
first_neighbor(const std::vector<double>& abscissae, double x, std::size_t count)
{
    const auto above = std::upper_bound(abscissae.begin(), abscissae.end(), x);
    const auto place = static_cast<std::size_t>(above - abscissae.begin());
    const std::size_t first = place < count / 2 ? 0 : place - count / 2;
    return std::min(first, abscissae.size() - count);
}

//! Lagrange's weights at x of `count` abscissae from `first` on: the polynomial through
//! the values there is their weighted sum.
inline std::vector<double> lagrange_weights(const std::vector<double>& abscissae,
                                            std::size_t first,
                                            std::size_t count,
                                            double x)
{
    std::vector<double> weights(count, 1);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            if (i != j) {
                weights[i] *= (x - abscissae[first + j]) /
                              (abscissae[first + i] - abscissae[first + j]);
            }
        }
    }
    return weights;
}

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_LAGRANGE_H */
