/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/w_intervals.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

//! Intervals that are shorter, in cells, would be left too often.
constexpr double least_cells = 1.5;

double node(unsigned k, unsigned terms) { return std::cos(M_PI * (k + 0.5) / terms); }

//! The turns of exp(-2 pi i w d) over an interval and the range of d that this number of terms follows
//! with an rms error: the next term of Taylor's series, times the polynomial that is 0 at the
//! nodes.
double turns_of(unsigned terms, double error)
{
    const double m = terms;
    const double of_nodes = std::sqrt(0.5 * (1 - 1 / (4 * m * m - 1)));
    const double scale =
        of_nodes * std::pow(2, 1 - 2 * m) / (std::sqrt(2 * m + 1) * std::tgamma(m + 1));
    return std::pow(error / scale, 1 / m) / M_PI;
}

//! The coefficients of powers of t of Lagrange's polynomial, which is 1 at node k and 0 at the
//! others.
std::array<double, w_intervals::max_terms> lagrange(unsigned k, unsigned terms)
{
    std::array<double, w_intervals::max_terms> powers = {1};
    unsigned degree = 0;
    for (unsigned j = 0; j < terms; j++) {
        if (j == k) {
            continue;
        }
        const double root = node(j, terms), scale = 1 / (node(k, terms) - root);
        degree++;
        for (unsigned i = degree + 1; i-- > 0;) {
            powers[i] = scale * ((i ? powers[i - 1] : 0) - root * powers[i]);
        }
    }
    return powers;
}

} // namespace

w_intervals::w_intervals(const grid_plan& plan, double error)
{
    if (!plan.planes_in_w) {
        return;
    }
    const double turns = plan.w_step * 2 * -plan.middle;
    const double cells = plan.w_step * std::max(plan.u_cells, plan.v_cells);
    const auto maximum = std::min<unsigned>(max_terms, unsigned(plan.depth()));
    for (d_terms = 1; d_terms <= maximum; d_terms++) {
        // As many terms as nodes are their polynomial itself.
        const bool exact = d_terms == plan.nodes.count();
        const double needed = exact ? 1 : std::ceil(turns / turns_of(d_terms, error));
        if (needed <= 1 || (needed <= max_count && cells / needed >= least_cells) ||
            d_terms == maximum) {
            d_count = unsigned(std::clamp(needed, 1.0, double(max_count)));
            return;
        }
    }
}

std::vector<float> w_intervals::weights(const grid_plan& plan) const
{
    constexpr unsigned lanes = es_kernel::max_support;
    std::vector<float> all(std::size_t(d_count) * lanes * max_terms);
    if (!plan.planes_in_w) {
        all[0] = 1;
        return all;
    }
    const double half = 0.5 * plan.kernel.support();
    for (unsigned interval = 0; interval < d_count; interval++) {
        for (unsigned plane = 0; plane < plan.depth(); plane++) {
            std::array<double, max_terms> sum = {};
            for (unsigned k = 0; k < d_terms; k++) {
                const double x = (interval + 0.5 * (node(k, d_terms) + 1)) / d_count;
                const double weight = plan.nodes.count() ? plan.nodes.weight(plane, 1 - x)
                                                         : plan.kernel(x + plane - half);
                const auto powers = lagrange(k, d_terms);
                for (unsigned i = 0; i < d_terms; i++) {
                    sum[i] += weight * powers[i];
                }
            }
            std::copy(sum.begin(),
                      sum.end(),
                      &all[(std::size_t(interval) * lanes + plane) * max_terms]);
        }
    }
    return all;
}

} // namespace gr::fringe::kernels
