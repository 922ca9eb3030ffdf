/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_TILES_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_TILES_H

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"
#include <algorithm>

namespace gr::fringe::kernels {

/*!
 * A block of int8 spectra as tensor cores read it.
 *
 * Real and imaginary parts stand in planes of their own, with time running fastest:
 *
 *     [channel][time / 128][plane][input / 8][8 inputs x 128 spectra]
 *
 * Planes: 0 = R, 1 = I, and for larger arrays 2 = E = R + I, which saves every fourth
 * product. Within the 1024 bytes of 8 inputs x 128 spectra, the 16 bytes number k of row r
 * stand at place k ^ r: the 128-byte swizzle of shared memory, so that a bulk copy brings
 * rows there ready for use. 128 inputs x 128 spectra are 16 contiguous kilobytes, and
 * R and I of a small array one piece, for any number of spectra.
 *
 * Behind the planes stand flags, a byte [channel][time / 128][input / 8] that is not zero
 * where some |R + I| exceeds 127 and E has wrapped: those are multiplied without E. They
 * are there, and read, only where E is.
 *
 * Inputs beyond the last one and spectra beyond the last one written, up to the end of
 * the 128, are zero.
 */
struct tile_layout {
    std::size_t inputs, channels, block_spectra;

    static constexpr std::size_t rows = 8;     //!< inputs of a group
    static constexpr std::size_t width = 128;  //!< spectra of a group
    static constexpr std::size_t group = 1024; //!< bytes of a group

    //! Below, reading E costs more than it saves.
    static constexpr std::size_t inputs_for_sum_plane = 513;

    FRINGE_HOST_DEVICE std::size_t planes() const
    {
        return inputs >= inputs_for_sum_plane ? 3 : 2;
    }
    FRINGE_HOST_DEVICE std::size_t input_groups() const
    {
        return (inputs + rows - 1) / rows;
    }
    FRINGE_HOST_DEVICE std::size_t time_groups() const
    {
        return (block_spectra + width - 1) / width;
    }
    //! Groups of all planes at one channel and 128 spectra.
    FRINGE_HOST_DEVICE std::size_t slab_groups() const
    {
        return planes() * input_groups();
    }
    FRINGE_HOST_DEVICE std::size_t flags_offset() const
    {
        return channels * time_groups() * slab_groups() * group;
    }
    //! Bytes of a whole block, flags included, whole 1024 bytes.
    FRINGE_HOST_DEVICE std::size_t bytes() const
    {
        const std::size_t flags = channels * time_groups() * input_groups();
        return flags_offset() + (flags + group - 1) / group * group;
    }
    //! Where one value stands, in bytes from the start of the block.
    FRINGE_HOST_DEVICE std::size_t
    at(std::size_t channel, std::size_t plane, std::size_t input, std::size_t t) const
    {
        const std::size_t groups =
            ((channel * time_groups() + t / width) * planes() + plane) * input_groups() +
            input / rows;
        const std::size_t row = input % rows, column = t % width;
        return groups * group + row * width + (((column / 16) ^ row) * 16) + column % 16;
    }
    FRINGE_HOST_DEVICE std::size_t
    flag_at(std::size_t channel, std::size_t input, std::size_t t) const
    {
        return flags_offset() + (channel * time_groups() + t / width) * input_groups() +
               input / rows;
    }
};

/*!
 * Blocks of tiles that an X-engine of more than 64 inputs multiplies together, where its GPU has
 * not done what it was asked for before. Every time it reads and writes all sums, which takes as long as
 * to multiply as many spectra as there are inputs, or twice that. So they are twice as many
 * spectra, as far as a few gigabytes hold them.
 */
inline std::size_t tile_blocks_together(const tile_layout& l)
{
    constexpr std::size_t maximum = 16, memory = std::size_t(4) << 30;
    const std::size_t wanted = (2 * l.inputs + l.block_spectra - 1) / l.block_spectra;
    return std::clamp<std::size_t>(std::min(wanted, memory / l.bytes()), 1, maximum);
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_TILES_H */
