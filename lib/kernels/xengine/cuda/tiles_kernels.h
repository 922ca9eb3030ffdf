/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_KERNELS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_KERNELS_H

#include "kernels/cuda/context.h"
#include "kernels/xengine/cuda/tiles_plan.h"
#include "kernels/xengine/tiles.h"

namespace gr::fringe::kernels {

// The kernels of the X-engine on tiles, all queued on context.compute.

//! Whole groups of 128 spectra of a block of tiles, and where their products are added.
struct tile_task {
    tile_layout layout;
    const std::int8_t* tiles; //!< the block
    int first, count;         //!< groups of 128 spectra
    int segments = 1;         //!< pieces of time that are summed side by side
    std::int32_t* sums;
    bool fresh; //!< the sums are to be set, not added to; one segment

    //! First group of a segment, relative to `first`.
    FRINGE_HOST_DEVICE int begin(int segment) const
    {
        return static_cast<int>(static_cast<long long>(count) * segment / segments);
    }
    FRINGE_HOST_DEVICE const std::int8_t* slab(std::size_t channel, int group) const
    {
        return tiles + ((channel * layout.time_groups() + first + group) *
                        layout.slab_groups() * tile_layout::group);
    }
};

/*!
 * What the large kernel needs besides. It takes whole blocks together, so that it reads and
 * writes the sums, of which large arrays have more than spectra, once for all of them.
 */
struct large_task : tile_task {
    static constexpr int max_blocks = 16;
    //! Blocks one behind the other in time, of which `tiles` is the first. The groups of all
    //! of them count, `first` being one of the first block.
    const std::int8_t* blocks[max_blocks + 1];
    tile_plan plan;
    const std::uint8_t* wrapped; //!< [channel][128 inputs], not zero: not without R and I
    int4* stash;                 //!< a product of every thread block
    unsigned* next_job;
    unsigned first_job; //!< what next_job says before the first job of this launch

    //! Group of a channel in a block.
    FRINGE_HOST_DEVICE const std::int8_t*
    slab_of(std::size_t channel, int block, int group) const
    {
        return blocks[block] + (channel * layout.time_groups() + group) * slab_bytes();
    }
    FRINGE_HOST_DEVICE std::size_t slab_bytes() const
    {
        return layout.slab_groups() * tile_layout::group;
    }
};

//! Whether the code for capability 9.0 is what runs, not PTX of an older one made to fit.
bool has_hopper_kernels(const cuda_context& c);
//! Sums of up to 64 inputs, by a small_plan; capability 9.0.
void launch_small(const cuda_context& c, const tile_task& t);
//! Sums of more inputs, by a tile_plan, and how far next_job goes on; capability 9.0.
unsigned launch_large(const cuda_context& c, const large_task& t);
std::size_t large_stash_bytes(const cuda_context& c);
//! Packed triangles [channel][baseline][2], any capability from 7.5 on.
void launch_mma(const cuda_context& c, const tile_task& t);

//! Where some R + I of 128 inputs and all spectra of the task has wrapped.
void launch_wrapped(const cuda_context& c, const large_task& t, std::uint8_t* wrapped);

//! Packed triangles of the channels from `first` on from sums by a plan.
void launch_read_small(const cuda_context& c,
                       const tile_layout& l,
                       const std::int32_t* sums,
                       std::size_t first,
                       std::size_t count,
                       std::int32_t* out);
void launch_read_large(const cuda_context& c,
                       const tile_layout& l,
                       const tile_plan& plan,
                       const std::int32_t* sums,
                       std::size_t first,
                       std::size_t count,
                       std::int32_t* out);

/*!
 * One group of 128 spectra of all channels for itself, as a block of 128 spectra, those
 * before `begin` and from `end` on being zero.
 */
void launch_mask(const cuda_context& c,
                 const tile_layout& from,
                 const std::int8_t* tiles,
                 int group,
                 int begin,
                 int end,
                 std::int8_t* out);
//! Spectra first ... first + count - 1 of rows of block_spectra as tiles.
void launch_to_tiles(const cuda_context& c,
                     const tile_layout& to,
                     const std::int8_t* rows,
                     std::size_t block_spectra,
                     std::size_t first,
                     std::size_t count,
                     std::int8_t* out);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_KERNELS_H */
