/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FINISH_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FINISH_H

#include "kernels/cuda/context.h"
#include "kernels/xengine/tiles.h"

namespace gr::fringe::kernels {

//! What becomes of spectra: the second half of a call of the channelizer.
struct finish_call {
    //! Of fir_call::out, [input - first_input][rows][points].
    float2* in = nullptr;
    unsigned rows = 0;
    unsigned first_input = 0, inputs = 0; //!< inputs of this part, padding included
    unsigned first = 0;                   //!< spectrum that row 0 of `in` becomes
    //! Spectra first ... last - 1 are written; tiles get zeros from `spectra`.
    unsigned last = 0, spectra = 0;

    tile_layout block{}; //!< sizes of the block, whatever its layout
    void* out = nullptr;
    bool complex_samples = true, quantize = false, tiles = false;
    float limit = 0;                         //!< of the requantizer
    const std::uint8_t* conjugate = nullptr; //!< [input]
    const float2* corrections = nullptr;     //!< [input][channel], or none
    //! Other corrections, or none, for spectra from `change` on.
    const float2* next_corrections = nullptr;
    unsigned change = ~0u;
    //! What is left of delays, [input][turns_pitch]: turns of phase of the middle channel
    //! and turns more from channel to channel; or none.
    const float2* turns = nullptr;
    std::size_t turns_pitch = 0;
    const float2* half_turn = nullptr; //!< exp(-pi i k / channels), [channel], real only
    unsigned long long* saturated = nullptr; //!< [input]

    //! Whether spectra of an input are multiplied by different factors.
    bool varies() const { return turns || change < spectra; }
};

/*!
 * After cuFFT: radix passes that make `radix` transforms one, the halves of real spectra,
 * order of channels, correction, requantizing, corner turn. turns: exp(-2 pi i q k /
 * points), [q = 1 ... radix - 1][k < points / radix].
 */
void launch_post(const cuda_context& c,
                 const finish_call& call,
                 unsigned radix,
                 const float2* turns);

/*!
 * The same with the transform inside, in shared memory, for requantized spectra of a
 * power of two of points.
 */
class fused_transform
{
public:
    //! Whether there is one for these sizes on this GPU.
    static bool fits(const cuda_context& c, std::size_t points);
    fused_transform(const cuda_context& c, std::size_t points);
    void launch(const cuda_context& c, const finish_call& call) const;

private:
    cuda_array<float2> d_turns;
};

//! Spectra first ... first + count - 1 of an input become zero.
void launch_blank(const cuda_context& c,
                  const finish_call& block,
                  unsigned input,
                  std::size_t first,
                  std::size_t count);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FINISH_H */
