/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_BURST_SEARCH_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_BURST_SEARCH_H

#include "kernels/blanking/blanking.h"
#include <utility>

namespace gr::fringe::kernels {

/*!
 * Finds bursts that are longer than a pulse and weaker, in the powers R_j that all inputs
 * receive together in runs of 64 samples (see blanking).
 *
 * Means over 1, 4, 16 and 64 runs are compared with their median in the window, as gamma
 * variables (Wilson and Hilferty: their cube roots are nearly normal) whose spread is that of
 * their quartiles, or that of single runs divided by the root of the length, whichever is more:
 * the sky, and mains hum, may scatter more than noise. A mean that is above by a part d of the
 * level is a burst; it reaches as far as makes the sum of R_j - (1 + d / 2) level largest, which
 * is where a step up and a step down of that height are most likely, and a run on either side.
 */
class FRINGE_API burst_search
{
public:
    //! Runs from `first` to before `end`.
    using stretch = std::pair<std::size_t, std::size_t>;

    //! `false_alarm`: part of the samples of noise that are found.
    explicit burst_search(double false_alarm);

    //! Stretches of runs in order, which do not touch. Less than half of the window counts as
    //! a burst, since the rest is its level.
    const std::vector<stretch>& find(const std::vector<float>& runs);

private:
    struct level {
        double median, spread;
        std::size_t count;
    };
    level level_of(std::size_t length);
    void find_means(std::size_t length, const level& l);
    void add_burst(std::size_t first, std::size_t length, double median, double mean);

    const double d_limit;         //!< standard deviations
    std::vector<double> d_before; // sums of the runs before
    std::vector<std::size_t> d_lost;
    std::vector<float> d_means;
    std::vector<char> d_in_burst; // [run]
    std::vector<stretch> d_found;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_BURST_SEARCH_H */
