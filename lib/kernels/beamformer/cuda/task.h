/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TASK_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TASK_H

#include "kernels/beamformer/cuda/blocks.h"
#include "kernels/cuda/context.h"
#include "kernels/xengine/tiles.h"

namespace gr::fringe::kernels {

// What the kernels of the beamformer work on; all are queued on context.compute.

/*!
 * Weights on the GPU. In float32 they stand, from a channel's begin + block.weights[half] on,
 * [input of the list][slot], complex.
 *
 * For tensor cores they are images of shared memory of 8 KiB, for 32 inputs and the 32 beams
 * of a half: 64 rows of 64 numbers of 16 bits, Re and Im of a beam each,
 *
 *     row 8 (slot / 4) + 2 (slot % 4) + 0    Re w, -Im w of each input
 *                                       1    Im w,  Re w
 *
 * the 16 bytes number k of row r at place k ^ r % 8. They are divided by a power of two, a
 * scale of each beam and channel. Two parts, the second what rounding left of the first, bear
 * 22 bits; one part bears 11. Images stand [stage][part][half] where the halves read the same
 * inputs, else [stage][part] from block.weights[half] on.
 */
struct beam_weights_there {
    const beam_block* blocks = nullptr;
    std::uint32_t count = 0; //!< blocks
    std::size_t longest = 0; //!< inputs of the lists of a block, at most
    const std::uint16_t* lists = nullptr;
    const void* weights = nullptr;
    std::size_t channel_weights = 0; //!< from a channel to the next: complex, or images
    const float* scales = nullptr;   //!< [channel][block][half][slot]; tensor cores
    unsigned parts = 1;              //!< tensor cores: 1 or 2
};

constexpr std::size_t weight_image = 8192; //!< bytes

//! Spectra of a block, and where their beams go.
struct beam_task {
    beamformer_params p;
    const void* spectra = nullptr; //!< rows, or tiles of `block_spectra`
    std::size_t block_spectra = 0; //!< of `spectra`, which may be a copy of a part
    std::size_t first = 0, count = 0;
    beam_weights_there w;
    float2* beams = nullptr; //!< the block of beams [channel][beam][p.block_spectra]; or
    std::size_t to = 0;      //!< where spectrum `first` goes in it
    float* sums = nullptr;   //!< [part of time][row][channel], coherent rows
    unsigned time_parts = 1;

    FRINGE_HOST_DEVICE std::size_t coherent_rows() const
    {
        return p.beams * (p.pairs ? 2 : 1);
    }
    //! Where the sum of a row goes.
    FRINGE_HOST_DEVICE std::size_t
    sum_at(unsigned part, std::size_t row, std::size_t channel) const
    {
        return (part * coherent_rows() + row) * p.channels + channel;
    }
};

//! Packs weights [beam][channel][input] for the kernels: float32, or images and scales.
//! Steering in the memory of a GPU.
struct beam_steering_there {
    const float2* factors;
    const double *turns, *slopes;
};
//! Writes the weights [beam][channel][input].
void launch_steer(const cuda_context& c,
                  const beamformer_params& p,
                  const beam_steering_there& towards,
                  float2* weights);
void launch_pack(const cuda_context& c,
                 const beamformer_params& p,
                 const beam_weights_there& w,
                 const float2* weights,
                 float2* packed);
void launch_pack_images(const cuda_context& c,
                        const beamformer_params& p,
                        const beam_weights_there& w,
                        const float2* weights,
                        char* images,
                        float* scales);

//! Parts of time that fill the GPU.
unsigned time_parts(const cuda_context& c, const beam_task& t, std::size_t spectra);

//! Any spectra, any GPU, in float32.
constexpr std::size_t plain_spectra = 64; //!< formed at a time
void launch_plain(const cuda_context& c, const beam_task& t);
//! Tiles; capability 9.0.
constexpr std::size_t tensor_spectra = 256;
void launch_tensor(const cuda_context& c, const beam_task& t);

//! Adds the powers of the inputs `read` to sums [channel][input].
void launch_input_powers(const cuda_context& c,
                         const beam_task& t,
                         const std::uint16_t* read,
                         std::size_t count,
                         double* powers);
//! What the rows of a beamformer are made of.
struct beam_sums_there {
    beamformer_params p;
    double* sums;          //!< [row][channel]
    const float2* weights; //!< [beam][channel][input]
    const double* powers;  //!< [channel][input]; null: no incoherent sums
};
//! Adds the sums of the parts of time of a task.
void launch_add_parts(const cuda_context& c, const beam_task& t, double* sums);
//! Adds the incoherent sums of these weights to those of the weights before.
void launch_keep_incoherent(const cuda_context& c, const beam_sums_there& s);
//! Writes the sums [row][channels / average].
void launch_read(const cuda_context& c,
                 const beam_sums_there& s,
                 std::size_t average,
                 float* out);
//! Writes means of sums that launch_read() has written.
void launch_mean(const cuda_context& c, const beam_mean_sums& s, float* out);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TASK_H */
