/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_CUDA_CELLS_CUH
#define INCLUDED_FRINGE_KERNELS_PEELING_CUDA_CELLS_CUH

#include <cstddef>
#include <cstdint>

// The cells of a row of products, as the kernels of peeling see them.
namespace gr::fringe::kernels::peel {

__device__ inline float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ inline float2 times_conjugate(float2 a, float2 b)
{
    return make_float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
}

__device__ inline bool is_number(float2 v) { return isfinite(v.x) && isfinite(v.y); }

//! A dump, and what is known of its sources.
struct held_dump {
    std::size_t products;
    unsigned channels, antennas;
    const float2* visibilities; // [channel][product]
    const float* weights;       // null = 1
    const float2* turns;        // [source][channel][antenna]
    const unsigned char* left_out;
    const float* frequencies;
};

//! The rows of a hand, and the channels of a group.
struct solved_part {
    unsigned rows;
    const uint3* row;      // product and antennas
    const float* lengths;  // [row]
    float taper;           // 0 = none
    unsigned first, count; // channels
    unsigned chunk;        // channels of a block of threads
    const float2* gains;   // [source][antenna]
};

//! A row with the products of gains of its antennas.
template <unsigned Sources>
struct gained_row {
    uint3 row;
    float2 gain[Sources];
    float length;

    __device__ gained_row(const held_dump& dump, const solved_part& part, unsigned n)
        : row(part.row[n]), length(part.taper > 0 ? part.lengths[n] / part.taper : 0)
    {
        for (unsigned k = 0; k < Sources; k++) {
            const float2* g = part.gains + k * dump.antennas;
            gain[k] = times_conjugate(g[row.y], g[row.z]);
        }
    }
};

//! One cell of a row.
template <unsigned Sources>
struct row_cell {
    float2 value, rest;
    float2 model[Sources];
    float weight;

    __device__ row_cell(const held_dump& dump,
                        const gained_row<Sources>& r,
                        bool tapered,
                        unsigned channel)
    {
        const std::size_t at = channel * dump.products + r.row.x;
        value = dump.visibilities[at];
        weight = dump.weights ? dump.weights[at] : 1;
        if (!is_number(value) || !(weight > 0) || dump.left_out[channel]) {
            value = make_float2(0, 0);
            weight = 0;
        }
        if (tapered) {
            const float turns = r.length * dump.frequencies[channel];
            // 1 - exp(-x) would round the weights of short baselines to steps of 6e-8.
            weight *= -expm1f(-turns * turns / 2);
        }
        rest = value;
        for (unsigned k = 0; k < Sources; k++) {
            const float2* turns =
                dump.turns + (std::size_t(k) * dump.channels + channel) * dump.antennas;
            model[k] = times_conjugate(turns[r.row.y], turns[r.row.z]);
            const float2 own = times(r.gain[k], model[k]);
            rest.x -= own.x;
            rest.y -= own.y;
        }
    }

    __device__ float power() const { return rest.x * rest.x + rest.y * rest.y; }
};

} // namespace gr::fringe::kernels::peel

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_CUDA_CELLS_CUH */
