/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_SUM_THRESHOLD_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_SUM_THRESHOLD_H

#include "kernels/base/aligned.h"
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * SumThreshold: finds runs of cells whose mean is too large for their length.
 *
 * A run of n = 1, 2, 4, ... 64 neighbors in time, or in frequency, is flagged when the
 * mean of its values exceeds
 *
 *     chi_n = chi_1 / 1.5^(log2 n)
 *
 * Cells that a shorter length has flagged are left out of the mean of the longer ones, so
 * that one strong cell does not drag its neighbors along. Cells that do not count (lost
 * ones) are taken as 0, the background.
 *
 * Three things differ from the paper, as else much noise next to interference is flagged:
 * the m cells that remain of n must have a mean above chi_n sqrt(n / m), as significant as
 * all n would be; of a run, the part with the largest sum of values less half their mean
 * is flagged; and where means of n scatter more than those of noise do, chi_n is as much
 * higher, by their own MAD.
 *
 * A.R. Offringa et al., MNRAS 405, 155 (2010).
 */
class FRINGE_API sum_threshold
{
public:
    //! rate: the part of the cells that noise (0 +- 1, normal) may get flagged.
    explicit sum_threshold(double rate);

    //! chi_1, for which noise gets the asked rate.
    double first_threshold() const { return d_first; }
    //! chi of 2^k neighbors.
    double threshold(std::size_t k) const;
    static constexpr std::size_t lengths = 7;

    //! value, used, hit: [dump][channel]; hit is set to 1 where found, and else to 0.
    void find(const float* value,
              const std::uint8_t* used,
              std::size_t dumps,
              std::size_t channels,
              std::uint8_t* hit);

private:
    struct side { // one direction: runs go down the columns
        std::size_t rows = 0, columns = 0;
        aligned_vector<float> value, count; // 0 where flagged
        aligned_vector<std::uint8_t> hit;
        aligned_vector<float> sums, counts, left;
        std::vector<float> means;
        //! 1, or by how much means of n scatter more than those of noise.
        float excess(std::size_t n);
        void mark(std::size_t first, std::size_t last);
        bool find(std::size_t n, float chi);
        void take(const std::uint8_t* hits);
    };
    double d_first;
    side d_time, d_frequency;
    aligned_vector<std::uint8_t> d_turned;
};

//! out[column][row] = in[row][column].
void transpose(const std::uint8_t* in,
               std::size_t rows,
               std::size_t columns,
               std::uint8_t* out);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_SUM_THRESHOLD_H */
