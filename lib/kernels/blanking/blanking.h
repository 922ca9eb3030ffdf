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

/*!
 * Voltages x_i[n] that are held until it is known which of them are pulses. Blocks come in at
 * the end, [input][time]; samples are counted from the oldest that is held.
 *
 *     cell_powers():  C_i,k = sum of |x_i[n]|^2 over n = first + 16 k ... first + 16 k + 15
 *     find():         a_i[n] = 1 where |x_i[n]|^2 > power_i
 *                     a[n]   = 1 where sum over i of scale_i |x_i[n]|^2 > sum
 *
 * In find() the powers and their sum, in the order of the inputs, are float32, and each
 * operation is rounded by itself, so every backend finds the same samples. C is double, and
 * exact for integers.
 *
 * On a device cell_powers() and find() wait, since the host decides.
 */
class FRINGE_API blanking
{
public:
    //! Samples of a cell.
    static constexpr std::size_t cell = 16;

    virtual ~blanking() = default;
    //! The next `samples` samples of every input are the first of a block.
    virtual void append(const void* block, std::size_t samples) = 0;
    //! Writes the sums of `cells` cells from sample `first` on, [input][cell].
    virtual void cell_powers(std::size_t first, std::size_t cells, double* powers) = 0;
    //! Returns a bit for each of `count` samples from sample `first` on, [input + 1][count /
    //! 64, rounded up]; the last row is that of the sum over the inputs.
    virtual std::vector<std::uint64_t>
    find(std::size_t first, std::size_t count, const blanking_limits& limits) = 0;
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
