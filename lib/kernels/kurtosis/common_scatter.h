/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_COMMON_SCATTER_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_COMMON_SCATTER_H

#include "kernels/base/sorted_values.h"
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * By how much the mean kurtosis of some inputs scatters more than the mean of independent
 * noise does.
 *
 * Inputs that hear the same sky, with a coefficient of correlation rho, have kurtoses with
 * a correlation of |rho|^4, so their mean over n inputs scatters as that of
 * n / (1 + (n - 1) |rho|^4). How much that is the means themselves say: the median of the
 * absolute deviations from their expectation, over stretches of 64 channels and up to 32
 * windows, by 0.6745. Interference in a quarter of the channels changes it little.
 */
class FRINGE_API common_scatter
{
public:
    explicit common_scatter(std::size_t channels);

    //! The deviations of the next window, [channel], in standard deviations of independent
    //! noise; NaN without a value.
    void push(const std::vector<float>& deviations);
    //! The factor for a channel, at least 1: that of its stretch. It is a little larger
    //! where few deviations say it, so that limits hold that are `limit` standard
    //! deviations away.
    double factor(std::size_t channel, double limit) const;

private:
    struct stretch {
        std::size_t first, end; // channels
        double factor = 1;
        std::size_t count = 0; // deviations that it is from
    };
    void measure(stretch& s);

    const std::size_t d_channels;
    std::size_t d_windows = 0;
    std::vector<stretch> d_stretches;
    std::vector<float> d_history; // [window][channel], a ring
    std::vector<float> d_values;
    sorted_values d_sorted;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_COMMON_SCATTER_H */
