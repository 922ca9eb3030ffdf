/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_VECTORS_H
#define INCLUDED_FRINGE_ARRAY_VECTORS_H

#include "array/geometry.h"
#include <cmath>

namespace gr::fringe::array {

inline double dot(const vec3& a, const vec3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline vec3 add(const vec3& a, const vec3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

inline vec3 scale(const vec3& a, double f) { return {a[0] * f, a[1] * f, a[2] * f}; }

inline vec3 cross(const vec3& a, const vec3& b)
{
    return {
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline vec3 unit(const vec3& a) { return scale(a, 1 / std::sqrt(dot(a, a))); }

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_VECTORS_H */
