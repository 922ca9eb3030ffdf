/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_RUNNING_MEDIAN_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_RUNNING_MEDIAN_H

#include "kernels/base/aligned.h"
#include "kernels/base/types.h"

namespace gr::fringe::kernels {

//! The medians of the last `length` values of many quantities, all sorted at once by
//! Batcher's network: its exchanges are vector minima and maxima.
class FRINGE_API running_median
{
public:
    static constexpr std::size_t length = 32;

    explicit running_median(std::size_t quantities);

    std::size_t quantities() const { return d_quantities; }
    //! Values of each quantity so far, at most `length`.
    std::size_t filled() const { return d_filled; }
    //! A new value of each, in place of the oldest.
    void push(const float* values);
    //! Writes the medians; filled() > 0. Of `part` of `parts` of them only, as what is
    //! asked for in turn.
    void read(float* medians, std::size_t part = 0, std::size_t parts = 1) const;
    //! The values of one quantity, in any order: `filled` of them.
    void values_of(std::size_t quantity, float* out) const;

private:
    const std::size_t d_quantities;
    const std::size_t d_stride; //!< whole strips
    std::size_t d_filled = 0, d_next = 0;
    aligned_vector<float> d_values; //!< [length][stride]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_RUNNING_MEDIAN_H */
