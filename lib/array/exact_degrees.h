/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_EXACT_DEGREES_H
#define INCLUDED_FRINGE_ARRAY_EXACT_DEGREES_H

#include <cstddef>

namespace gr::fringe::array {

//! Degrees with more digits than a double has: as a long double, they read back as the
//! same number of radians.
constexpr long double exact_pi = 3.14159265358979323846264338327950288L;
//! Digits behind the point of such degrees, in scientific notation.
constexpr int exact_digits = 21;
//! Characters of the longest text that a double is written with, as -1.2345678901234567e-100.
constexpr std::size_t longest_double = 24;

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_EXACT_DEGREES_H */
