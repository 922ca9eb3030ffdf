/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H
#define INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Finds values by their places among sorted ones, without sorting all: floats that are not
 * negative are in the order of their bits. Counts of the highest bits, around those of the first
 * value, say which values are near, and only these are sorted.
 */
class FRINGE_API sorted_values
{
public:
    sorted_values();
    //! Writes the values at `places`, counted from 0, of which there are 4 at most, in order.
    //! No value is negative or NaN; they stay where they are.
    void find(const float* values,
              std::size_t count,
              const std::vector<std::size_t>& places,
              float* found);

private:
    std::vector<std::uint32_t>
        d_counts; // of two halves, which do not wait for each other
    std::vector<float> d_near[4];
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_SORTED_VALUES_H */
