/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_JOBS_CUH
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_JOBS_CUH

#include "kernels/beamformer/cuda/tensor_products.cuh"
#include "kernels/xengine/cuda/tiles_plan.h"

namespace gr::fringe::kernels::beams {

/*!
 * How the tensor-core beamformer works. A thread block forms the beams of one block of them
 * in one channel, for a part of the spectra, 256 at a time; two warpgroups multiply 128 each
 * by 64 beams, whose sums stay in registers, and reduce them to powers there. A third
 * warpgroup brings spectra and weights of 32 inputs, a stage, through a ring.
 *
 * A stage: [128 spectra][R, I][input] of 128 bytes, the 16 bytes number k of input n at place
 * k ^ 2 (n % 4), so that the four threads of a row read different banks; then the images of
 * the weights. Rows of the product are spectra, columns Re and Im of beams. A thread has four
 * spectra side by side, as that is a word of a plane: 16-bit floats are made of it in
 * registers, as wgmma takes its first matrix from there.
 */
constexpr int threads = 384;
constexpr unsigned sample_bytes = 16384;
constexpr int group = tile_layout::width;

template <int Halves, int Parts>
struct stage_plan {
    static constexpr int stages = Parts == 2 ? 4 : 6;
    static constexpr unsigned weight_bytes = Halves * Parts * weight_image;
    static constexpr unsigned bytes = sample_bytes + weight_bytes;
};

//! Behind the stages.
template <int Stages>
struct ring {
    std::uint64_t full[Stages], empty[Stages];
    float powers[8][4][4][8]; //!< [warp][thread % 4][P of halves, Re Q, Im Q][column / 8]
};

#if defined(FRINGE_HOPPER)

//! What a thread block does.
struct job {
    const beam_task& task;
    unsigned block_number;
    std::size_t channel;
    unsigned part;
    int begin, end; //!< groups of 128 spectra

    __device__ job(const beam_task& t) : task(t)
    {
        const unsigned n = blockIdx.x;
        block_number = n % t.w.count;
        part = n / t.w.count % t.time_parts;
        channel = n / t.w.count / t.time_parts;
        const int first = static_cast<int>(t.first / group);
        const int last = static_cast<int>((t.first + t.count - 1) / group);
        const long long pairs = (last - first) / 2 + 1;
        begin = first + 2 * static_cast<int>(pairs * part / t.time_parts);
        end = first + 2 * static_cast<int>(pairs * (part + 1) / t.time_parts);
    }
    __device__ const beam_block& block() const { return task.w.blocks[block_number]; }
    __device__ tile_layout tiles() const
    {
        return {task.p.inputs, task.p.channels, task.block_spectra};
    }
};

//! The third warpgroup.
template <int Halves, int Parts>
__device__ void produce(const job& j,
                        char* memory,
                        ring<stage_plan<Halves, Parts>::stages>& r,
                        const std::uint16_t* lists)
{
    using namespace hopper;
    using plan = stage_plan<Halves, Parts>;
    const tile_layout tiles = j.tiles();
    const beam_block& block = j.block();
    const std::size_t plane = tiles.input_groups() * tile_layout::group;
    const std::size_t slab = tiles.slab_groups() * tile_layout::group;
    const int last = static_cast<int>(tiles.time_groups()) - 1;
    const auto spectra =
        static_cast<const char*>(j.task.spectra) + j.channel * tiles.time_groups() * slab;
    const auto images = static_cast<const char*>(j.task.w.weights) +
                        j.channel * j.task.w.channel_weights * weight_image;
    const unsigned thread = threadIdx.x % warpgroup, chunk = thread % 8;
    ring_place<plan::stages> place;
    for (int g = j.begin; g < j.end; g += 2) {
        const char* const slabs[2] = {spectra + min(g, last) * slab,
                                      spectra + min(g + 1, last) * slab};
        for (int pass = 0; pass < (Halves == 1 ? 2 : 1); pass++) {
            const unsigned count = block.counts[pass];
            const auto list = lists + (pass ? block.counts[0] : 0);
            const char* weights = images + block.weights[pass] * weight_image;
            const unsigned stages = beam_block::stages(count);
            for (unsigned s = 0; s < stages; s++) {
                wait(&r.empty[place.stage], place.phase ^ 1);
                char* const to = memory + place.stage * plan::bytes;
                std::uint64_t* const full = &r.full[place.stage];
                if (thread == 0) {
                    arrive_and_expect(full, plan::weight_bytes);
                    bulk_copy(to + sample_bytes, weights, plan::weight_bytes, full);
                }
                if constexpr (arrives_early) {
                    arrive_when_copied(full);
                }
                const std::uint32_t samples = shared_address(to);
#pragma unroll
                for (unsigned k = 0; k < 2; k++) { // inputs thread / 8 + 16 k
                    const unsigned n = thread / 8 + 16 * k;
                    const unsigned e = s * beam_block::stage + n;
                    const unsigned input = count ? list[min(e, count - 1)] : 0;
                    const unsigned from = input / 8 * tile_layout::group +
                                          input % 8 * group +
                                          ((chunk ^ (input % 8)) * 16);
                    const std::uint32_t at =
                        samples + n * group + ((chunk ^ (2 * (n % 4))) * 16);
#pragma unroll
                    for (unsigned half = 0; half < 2; half++) {
                        copy_16(at + (2 * half) * 4096, slabs[half] + from);
                        copy_16(at + (2 * half + 1) * 4096, slabs[half] + plane + from);
                    }
                }
                if constexpr (!arrives_early) {
                    arrive_when_copied(full);
                }
                weights += plan::weight_bytes;
                place.advance();
            }
        }
    }
    // Memory may not go before the copies have arrived.
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif

} // namespace gr::fringe::kernels::beams

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_JOBS_CUH */
