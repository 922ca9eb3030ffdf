/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_WEIGHT_LEVELS_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_WEIGHT_LEVELS_H

#include "kernels/flagging/band_and_drift.h"
#include <array>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Makes cells of different weights comparable. A cell of a cross-correlation with the weight
 * n (the usual one is 1) holds a source S in noise of sigma / sqrt(n): its |V|^(2/3) has a
 * Rice distribution with a source of S sqrt(n) / sigma. A value is replaced by the one that is
 * as likely with the usual weight: with the quantile functions Q(1) and Q(n),
 *
 *     x' = Q(1)(p),   where x = Q(n)(p)
 *
 * Without a source that is the factor n^(1/3); with a strong one the level stays as it is and
 * only the deviations shrink. S / sigma is found for each stretch of channels from the spread
 * of cells of each weight and, then, from the medians of cells with more and with less.
 */
class FRINGE_API weight_levels
{
public:
    weight_levels();

    //! plane: |V|^(2/3) and which cells are used. weight: of each cell, in units of the
    //! usual weight.
    void equalize(flag_plane& plane, const std::vector<float>& weight);

private:
    //! Of a Rice distribution of |V|^(2/3).
    struct level {
        double median, spread;
    };
    //! Its quantiles, for z = -4 to 4 standard deviations of a normal variable that are as
    //! likely.
    using quantiles = std::array<float, 33>;
    struct weight_class {
        double weight, median, ratio, cells; // ratio: median over spread
    };

    level level_of(double source, double weight) const;
    quantiles quantiles_of(double source, double weight) const;
    void measure_band(const flag_plane& plane,
                      const std::vector<float>& weight,
                      std::size_t first,
                      std::size_t end,
                      double source);
    void replace(flag_plane& plane,
                 const std::vector<float>& weight,
                 std::size_t first,
                 std::size_t end,
                 double source) const;
    void sort_cells(const flag_plane& plane,
                    const std::vector<float>& weight,
                    std::size_t first,
                    std::size_t end);
    double find_source(bool by_medians);
    double misfit(double source, bool by_medians) const;

    std::vector<double> d_sources;      // of the table, ascending
    std::vector<level> d_levels;        // [source]
    std::vector<quantiles> d_quantiles; // [source]
    std::vector<float> d_band;          // [channel], the noise's sigma^(2/3)
    band_and_drift d_follow;
    std::vector<std::vector<float>> d_sorted; // [class], values in units of the band
    std::vector<double> d_logs; // [class], sums of the logarithms of weights
    std::vector<weight_class> d_classes;
    std::vector<float> d_cells;
    std::vector<double> d_medians; // [cell] of the stretch, what is expected there
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_WEIGHT_LEVELS_H */
