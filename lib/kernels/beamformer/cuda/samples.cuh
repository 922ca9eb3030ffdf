/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_SAMPLES_CUH
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_SAMPLES_CUH

#include "kernels/beamformer/cuda/task.h"

namespace gr::fringe::kernels {

// Where a kernel reads the spectra of a block: at(channel, input, spectrum).

struct float_rows {
    const float2* rows;
    std::size_t inputs, spectra;

    __device__ float2 at(std::size_t channel, std::size_t input, std::size_t t) const
    {
        return rows[(channel * inputs + input) * spectra + t];
    }
};

struct byte_rows_of_spectra {
    const char2* rows;
    std::size_t inputs, spectra;

    __device__ float2 at(std::size_t channel, std::size_t input, std::size_t t) const
    {
        const char2 x = rows[(channel * inputs + input) * spectra + t];
        return make_float2(x.x, x.y);
    }
};

struct byte_tiles {
    const std::int8_t* tiles;
    tile_layout layout;

    __device__ float2 at(std::size_t channel, std::size_t input, std::size_t t) const
    {
        return make_float2(tiles[layout.at(channel, 0, input, t)],
                           tiles[layout.at(channel, 1, input, t)]);
    }
};

//! Calls use(samples) with what fits the spectra of a task.
template <class Use>
void with_samples(const beam_task& t, const Use& use)
{
    const auto& p = t.p;
    if (p.in == component::f32) {
        use(float_rows{static_cast<const float2*>(t.spectra), p.inputs, t.block_spectra});
    } else if (p.layout == spectra_layout::tensor_tiles) {
        use(byte_tiles{static_cast<const std::int8_t*>(t.spectra),
                       {p.inputs, p.channels, t.block_spectra}});
    } else {
        use(byte_rows_of_spectra{
            static_cast<const char2*>(t.spectra), p.inputs, t.block_spectra});
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_SAMPLES_CUH */
