/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STEER_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STEER_H

#include "kernels/channelizer/channelizer.h"
#include "kernels/cuda/context.h"
#include "kernels/cuda/staging.h"

namespace gr::fringe::kernels {

/*!
 * What delays do to the spectra of a call, see input_steering, in a GPU's memory: the
 * filter takes the shifts, what finishes spectra the turns.
 */
class device_steering
{
public:
    //! conjugate: [input], on the GPU.
    device_steering(const cuda_context& c,
                    const channelizer_params& p,
                    const std::uint8_t* conjugate);

    //! The delays of a call's first `spectra`; they have been copied when this returns.
    //! Until the next call, in stream order, the arrays below are those of this one.
    void aim(const steering& to, std::size_t spectra);

    std::size_t pitch() const { return d_pitch; }
    //! Samples by which windows begin later, [input][pitch].
    const int* shifts() const { return d_shifts.data(); }
    //! Turns of phase of the middle channel (channels / 2), within +-1/2, and turns more
    //! from channel to channel, [input][pitch].
    const float2* turns() const { return d_turns.data(); }

private:
    const cuda_context& d_context;
    const std::uint8_t* const d_conjugate;
    const bool d_complex;
    const std::size_t d_inputs, d_channels, d_points, d_max_shift, d_pitch;
    std::vector<double> d_gathered;
    staging d_staging;
    cuda_array<double> d_delays;
    cuda_array<int> d_shifts;
    cuda_array<float2> d_turns;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STEER_H */
