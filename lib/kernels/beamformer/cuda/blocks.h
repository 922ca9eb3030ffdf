/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BLOCKS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BLOCKS_H

#include "kernels/base/host_device.h"
#include "kernels/beamformer/beamformer.h"
#include <cstdint>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Beams that a thread block forms side by side, in two halves. Each half reads a list of
 * inputs. Either the lists are the same, and the halves are beams that read the same inputs;
 * or the halves are the first and the second beams of pairs, so that the thread that has one
 * has the other, too.
 */
struct beam_block {
    static constexpr unsigned half = 32;  //!< beams of a half
    static constexpr unsigned stage = 32; //!< inputs that tensor cores take at a time
    std::int32_t beams[2 * half];         //!< [half][slot], -1: none
    std::uint32_t inputs[2], counts[2];   //!< of each half: its list, and how long it is
    std::uint32_t weights[2]; //!< where those of a channel begin, see weights.h

    //! Stages of a half, at least one.
    FRINGE_HOST_DEVICE static std::uint32_t stages(std::uint32_t count)
    {
        return count == 0 ? 1 : (count + stage - 1) / stage;
    }
};

//! Sorts beams into blocks: those that read the same inputs stand together, so no weight of
//! zero is multiplied.
struct beam_blocks {
    std::vector<beam_block> blocks;
    std::vector<std::uint16_t>
        lists; //!< the inputs of all halves, one list after the other
    std::vector<std::uint16_t> read; //!< inputs that some beam reads
    std::size_t longest = 0;         //!< inputs of the lists of a block, at most

    //! Of the weights [beam][channel][input]; null: all are zero.
    beam_blocks(const beamformer_params& p, const std::complex<float>* weights);

private:
    void add_block(const beamformer_params& p,
                   const std::vector<char>* const (&reads)[2],
                   const std::vector<std::size_t> (&beams)[2]);
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BLOCKS_H */
