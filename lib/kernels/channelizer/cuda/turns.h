/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_TURNS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_TURNS_H

#include "kernels/cuda/context.h"
#include <cmath>
#include <vector>

// Tables of the channelizer's transforms.
namespace gr::fringe::kernels {

//! exp(-2 pi i turns).
inline float2 turn(double turns)
{
    const double angle = -2 * M_PI * turns;
    return make_float2(static_cast<float>(std::cos(angle)),
                       static_cast<float>(std::sin(angle)));
}

//! Of the three passes of a plan, see transform().
template <class P>
std::vector<float2> turns_of_passes()
{
    std::vector<float2> turns;
    for (int a = 1; a < P::R1; a++) {
        for (int n = 0; n < P::C / P::R1; n++) {
            turns.push_back(turn(double(a) * n / P::C));
        }
    }
    for (int a = 1; a < P::R2; a++) {
        for (int n = 0; n < P::R3; n++) {
            turns.push_back(turn(double(a) * n / (P::C / P::R1)));
        }
    }
    return turns;
}

//! In the compute stream, like all that reads it; from pageable memory, so that it has
//! been copied away when the call returns.
template <class T>
cuda_array<T> uploaded(const cuda_context& c, const std::vector<T>& from)
{
    cuda_array<T> to(c, from.size());
    if (!from.empty()) {
        check_cuda(
            cudaMemcpyAsync(
                to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, c.compute),
            "copying tables");
    }
    return to;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_TURNS_H */
