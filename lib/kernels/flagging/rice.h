/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_RICE_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_RICE_H

#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The Rice distribution: |V| of a steady source in complex Gaussian noise, whose parts have
 * a standard deviation of 1. And of x = |V|^(2/3), in which planes are searched, the median
 * and the spread (1.4826 MAD).
 */
class FRINGE_API rice_distribution
{
public:
    explicit rice_distribution(double source);

    double density(double amplitude) const;
    //! P(|V| < amplitude).
    double below(double amplitude) const;
    //! Of x.
    double quantile(double probability) const;
    double median() const { return d_median; }
    double spread() const { return d_spread; }
    //! Median over spread: which of the distributions it is.
    double ratio() const { return d_median / d_spread; }

    //! Derivative of log density by log(noise power): how much an amplitude speaks for a
    //! little more noise, or for a weak signal of any phase, which is the same.
    double score(double amplitude) const;

    //! Sources of a table of all of them, ascending ratios, from none to one so strong that
    //! x is normal.
    static const std::vector<double>& grid();
    //! The distributions of these sources, made when they are asked for first.
    static const std::vector<rice_distribution>& of_grid();

private:
    const double d_source, d_first;
    std::vector<double> d_below; // P(|V| < d_first + n step)
    double d_median, d_spread;
};

//! The x in [low, high] at which a rising function passes `level`.
template <class Function>
double solve(const Function& rising, double level, double low, double high)
{
    for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (low + high);
        (rising(middle) < level ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_RICE_H */
