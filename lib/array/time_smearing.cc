/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/time_smearing.h"
#include <cmath>

namespace gr::fringe::array {

double fringe_rate(const observation& obs,
                   std::size_t antenna1,
                   std::size_t antenna2,
                   double frequency,
                   double angle)
{
    constexpr double speed_of_light = 299792458.0;
    constexpr double earth_rate = 7.292115e-5;
    const auto& a = obs.antennas[antenna1].itrf;
    const auto& b = obs.antennas[antenna2].itrf;
    const double equatorial = std::hypot(a[0] - b[0], a[1] - b[1]);
    return frequency / speed_of_light * earth_rate * equatorial * 2 * std::sin(angle / 2);
}

double turns_of_loss(double loss)
{
    double low = 0, high = 1; // sinc falls from 1 to 0
    for (int k = 0; k < 60; ++k) {
        const double x = (low + high) / 2;
        (1 - std::sin(M_PI * x) / (M_PI * x) <= loss ? low : high) = x;
    }
    return low;
}

} // namespace gr::fringe::array
