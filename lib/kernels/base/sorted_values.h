/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H
#define INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Finds values by their places among sorted ones, without sorting all: floats that are not
 * negative are in the order of their bits. Counts of the highest bits say which values are
 * near, and only these are sorted.
 */
class FRINGE_API sorted_values
{
public:
    sorted_values();
    //! Looks at `count` values, which stay there; none is negative or NaN.
    void count(const float* values, std::size_t count);
    //! The value at a place, counted from 0.
    float at(std::size_t place);

private:
    const float* d_values = nullptr;
    std::size_t d_count = 0;
    std::vector<std::uint32_t>
        d_counts; // of two halves, which do not wait for each other
    std::vector<float> d_near;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H */
