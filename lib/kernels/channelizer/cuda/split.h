/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_H

#include "kernels/channelizer/cuda/finish.h"

namespace gr::fringe::kernels {

/*!
 * Long transforms of requantized spectra, 4096 to 32768 points, in two passes over the
 * data: the filter does the first part (split_first.cuh), which leaves `radix` transforms
 * of 512 or 1024 points; this kernel does two of those whose bins are each other's mirror
 * images, and all that follows.
 */
class split_transform
{
public:
    //! Parts of a transform, or 0 where it is not split.
    static unsigned radix_of(std::size_t points);
    //! Whether there is one for these sizes on this GPU.
    static bool fits(const cuda_context& c, std::size_t points);
    split_transform(const cuda_context& c, std::size_t points);

    //! For fir_call: exp(-2 pi i a b / points), [a < radix][b < points / radix], and then
    //! exp(-2 pi i n / radix), [n < radix].
    const float2* first_turns() const { return d_first_turns.data(); }
    void launch(const cuda_context& c, const finish_call& call) const;

private:
    const unsigned d_radix;
    cuda_array<float2> d_first_turns, d_turns, d_half_turns;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_H */
