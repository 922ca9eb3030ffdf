/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_BLANKING_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_BLANKING_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

struct blanking_params {
    std::size_t inputs = 1;
    component in = component::i8;
    bool complex_samples = true;
    std::size_t block_samples = 1; //!< length of the time axis of a block of voltages
    std::size_t held_samples = 1;  //!< of every input that are held at most
    std::vector<char> bad_input{}; //!< [input], not in sums over the inputs; or empty
};

//! The quartiles of the powers of the cells of a window, but those with a lost sample.
struct cell_levels {
    float low = 0, median = 0, high = 0;
    std::uint32_t cells = 0; //!< that are not lost; with too few the others are 0
};

//! What a window tells of the levels of the noise, see blanking.
struct window_levels {
    std::vector<cell_levels> inputs; //!< [input]
    cell_levels sum;                 //!< of the sums over the inputs
    std::vector<float> runs;         //!< [cells / run_cells]
};

//! What is a pulse: powers above these.
struct blanking_limits {
    std::vector<float> power; //!< [input], of one input alone
    std::vector<float> scale; //!< [input], factors of the powers in the sum over inputs
    float sum = 0;            //!< of that sum
};

//! A run of held samples of one input.
struct sample_run {
    std::uint32_t input, first, count;
};

//! Windows of held samples: all have `window` samples, but the last may be shorter.
struct sample_windows {
    std::size_t first, count, window;

    std::size_t windows() const { return (count + window - 1) / window; }
    //! Where window k begins, and its samples.
    std::size_t begin(std::size_t k) const { return first + k * window; }
    std::size_t samples(std::size_t k) const
    {
        return k * window + window < count ? window : count - k * window;
    }
};

//! Samples that were found, a bit for each from sample `first` on. The input behind the last
//! stands for the sum over the inputs.
struct found_samples {
    std::uint32_t input, first;
    std::uint64_t bits;
};

/*!
 * Voltages x_i[n] that are held until it is known which of them are pulses. Blocks come in at
 * the end, [input][time]; samples are counted from the oldest that is held.
 *
 *     levels():  C_i,k = sum of |x_i[n]|^2 over the 16 samples n of cell k
 *                S_k   = sum of C_i,k / (median of C_i), over the good inputs i
 *                R_j   = sum of min(S_k, cap) over the 4 cells k of run j
 *     find():    a_i[n] = 1 where |x_i[n]|^2 > power_i
 *                a[n]   = 1 where sum over i of scale_i |x_i[n]|^2 > sum
 *
 * Both work on windows: the first begins with sample `first`, the last may be shorter. Good
 * inputs are not bad_input, and have a median above 0 of `fewest` cells or more. A cell is lost
 * with a sample of it, S with C of a good input, R with S: then it is -1, and in no quartile.
 * The cap, four standard deviations above the median by the quartiles, keeps short pulses out
 * of R.
 *
 * Every backend finds the same bits: C is double, and exact for integers; S is added in double
 * in the order of the inputs, from 1 / median, and rounded to float32, as C is for its
 * quartiles; R, the powers of find() and their sum, in the order of the inputs, are float32,
 * and each operation is rounded by itself.
 *
 * On a device levels() and find() wait, since the host decides.
 */
class FRINGE_API blanking
{
public:
    //! Samples of a cell.
    static constexpr std::size_t cell = 16;
    //! Cells of a run.
    static constexpr std::size_t run_cells = 4;
    //! Cells without which there is no level.
    static constexpr std::uint32_t fewest = 8;

    virtual ~blanking() = default;
    //! The next `samples` samples of every input are the first of a block.
    virtual void append(const void* block, std::size_t samples) = 0;
    //! The levels of the windows of `count` samples. Runs of lost samples are in order for
    //! each input.
    virtual std::vector<window_levels> levels(const sample_windows& of,
                                              const std::vector<sample_run>& lost) = 0;
    //! The samples above the limits of their windows, by input and then in their order.
    virtual std::vector<found_samples>
    find(const sample_windows& in, const std::vector<blanking_limits>& limits) = 0;
    //! Sets samples to zero.
    virtual void zero(const std::vector<sample_run>& runs) = 0;
    //! Writes the oldest samples as the first of a block, and holds them no longer.
    virtual void take(void* block, std::size_t samples) = 0;
    //! Holds nothing.
    virtual void clear() = 0;
};

//! Throws std::invalid_argument naming the parameter, device_error.
FRINGE_API std::unique_ptr<blanking> make_blanking(const compute_target& where,
                                                   const blanking_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_BLANKING_H */
