/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_H

#include "kernels/channelizer/channelizer.h"
#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

/*!
 * The polyphase sums of some spectra of some inputs:
 *
 *     out[input][s][c] = gain[input] sum_{tap} h[tap][c] row(s + tap)[c]
 *
 * Rows are those kept from earlier calls and then those of this one. A row has
 * `components` components, two a channel: (re, im) of complex samples, or two successive
 * real ones, which the transform takes as one complex point.
 *
 * Where windows are shifted, row(r) begins with component (r + max_shift_rows) components +
 * shift sample_components of the sequence.
 */
struct fir_call {
    component type = component::f32;
    const void* in = nullptr;      //!< [input][in_stride]
    std::size_t in_stride = 0;     //!< components
    const void* history = nullptr; //!< [input][history_pitch], row after row
    std::size_t history_pitch = 0; //!< components
    unsigned history_rows = 0, fresh_rows = 0;
    //! Rows keep_from ... keep_from + keep_rows - 1 go here, with the same pitch.
    void* next_history = nullptr;
    unsigned keep_from = 0, keep_rows = 0;
    unsigned taps = 1, components = 2;
    const float* coefficients = nullptr; //!< [tap][components]
    const float* gains = nullptr;        //!< [input]
    unsigned first_input = 0, inputs = 0;
    unsigned first = 0, spectra = 0; //!< spectra of this call; may be none
    bool keep_history = true;
    //! [input][shift_pitch]: samples, each of several components, by which the window of a
    //! spectrum begins after row s + max_shift_rows; or none, and then max_shift_rows is 0.
    const int* shifts = nullptr;
    std::size_t shift_pitch = 0;
    unsigned sample_components = 1, max_shift_rows = 0;
    //! [input - first_input][out_rows][radix][points / radix]: points number q,
    //! q + radix, ... stand together, so that a long transform becomes `radix` shorter
    //! ones.
    float2* out = nullptr;
    unsigned out_rows = 0, radix = 1;
    //! Or, where these are, the first part of the transform is done as well, over points
    //! that are points / radix apart: split_transform::first_turns().
    const float2* first_turns = nullptr;
    //! Bytes to set to zero on the way: `flag_rows` runs, `flag_pitch` apart.
    std::uint8_t* flags = nullptr;
    std::size_t flag_rows = 0, flag_width = 0, flag_pitch = 0;
};

void launch_fir(const cuda_context& c, const fir_call& call);
//! The same with shifts.
void launch_shifted_fir(const cuda_context& c, const fir_call& call);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_H */
