/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_WINDOW_LEVELS_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_WINDOW_LEVELS_H

#include "kernels/base/aligned.h"
#include "kernels/blanking/blanking.h"
#include <algorithm>

namespace gr::fringe::kernels {

//! What short pulses count in a run at the most; a standard deviation is 0.741 of the
//! distance of the quartiles.
inline float cap_of(const cell_levels& l)
{
    const float spreads = 2.9652044f * (l.high - l.low);
    return l.median + spreads;
}

/*!
 * The levels of a window from the powers of its cells, see blanking. `Loops`: quartiles(values,
 * count), which may move them, and add(powers, factor, sums, count) for sums += factor powers.
 */
template <class Loops>
class levels_of_cells
{
public:
    explicit levels_of_cells(const blanking_params& p) : d_p(p) {}

    //! powers: [input][cell], -1 where lost; lost: [input], whether some are.
    window_levels
    find(const double* powers, std::size_t cells, const std::vector<char>& lost)
    {
        window_levels l;
        d_sums.assign(cells, 0.0);
        d_lost.assign(cells, 0);
        for (std::size_t i = 0; i < d_p.inputs; ++i) {
            const double* const c = powers + i * cells;
            l.inputs.push_back(level(c, cells, lost[i]));
            const cell_levels& own = l.inputs.back();
            const bool bad = !d_p.bad_input.empty() && d_p.bad_input[i];
            if (bad || !(own.median > 0)) {
                continue;
            }
            d_loops.add(c, 1 / static_cast<double>(own.median), d_sums.data(), cells);
            for (std::size_t k = 0; lost[i] && k < cells; ++k) {
                d_lost[k] |= c[k] < 0;
            }
        }
        bool some = false;
        for (std::size_t k = 0; k < cells; ++k) {
            d_sums[k] = d_lost[k] ? -1 : d_sums[k];
            some = some || d_lost[k];
        }
        l.sum = level(d_sums.data(), cells, some);
        add_runs(l, cells);
        return l;
    }

private:
    // Of cells that are not lost.
    cell_levels level(const double* powers, std::size_t cells, bool some_are_lost)
    {
        d_values.resize(cells);
        std::size_t n = 0;
        for (std::size_t k = 0; k < cells; ++k) {
            d_values[n] = static_cast<float>(powers[k]);
            n += !some_are_lost || powers[k] >= 0;
        }
        cell_levels l;
        l.cells = static_cast<std::uint32_t>(n);
        if (n >= blanking::fewest) {
            d_loops.quartiles(d_values.data(), n, l);
        }
        return l;
    }

    void add_runs(window_levels& l, std::size_t cells) const
    {
        const float cap = cap_of(l.sum);
        l.runs.resize(cells / blanking::run_cells);
        for (std::size_t j = 0; j < l.runs.size(); ++j) {
            float sum = 0;
            bool is_lost = l.sum.cells < blanking::fewest;
            for (std::size_t k = 0; k < blanking::run_cells; ++k) {
                const double s = d_sums[j * blanking::run_cells + k];
                is_lost = is_lost || s < 0;
                sum += std::min(static_cast<float>(s), cap);
            }
            l.runs[j] = is_lost ? -1 : sum;
        }
    }

    const blanking_params d_p;
    Loops d_loops;
    std::vector<double> d_sums;
    std::vector<char> d_lost;
    std::vector<float> d_values;
};

//! The powers of cells with a lost sample become -1. Runs of lost samples are those of `input`.
template <class Each>
void for_lost_cells(const sample_windows& of,
                    std::size_t k,
                    const std::vector<sample_run>& lost,
                    const Each& each)
{
    const std::size_t begin = of.begin(k), cells = of.samples(k) / blanking::cell;
    const std::size_t end = begin + cells * blanking::cell;
    for (const sample_run& r : lost) {
        const std::size_t a = std::max<std::size_t>(r.first, begin);
        const std::size_t b = std::min<std::size_t>(r.first + r.count, end);
        for (std::size_t n = a; n < b;
             n = begin + ((n - begin) / blanking::cell + 1) * blanking::cell) {
            each(r.input, (n - begin) / blanking::cell);
        }
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_WINDOW_LEVELS_H */
