/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_GPU_MEMORY_H
#define INCLUDED_FRINGE_STAGES_GPU_MEMORY_H

#include "kernels/channelizer/channelizer.h"
#include "kernels/xengine/xengine.h"

namespace gr::fringe {

// The bytes of a GPU's memory that stages take for themselves, beside the blocks of data that
// they are given: known before any is made. They are those of a GPU of capability 9.0, where
// the X-engine keeps its sums in the order of the tensor cores; on others it has fewer.

//! The sums, the stash of the large kernel, and the group of spectra of which some are wanted.
FRINGE_API std::size_t xengine_bytes(const kernels::xengine_params& p);
//! Sums in double or int64, and counts of what is left out of them where cells are flagged.
FRINGE_API std::size_t
integrator_bytes(std::size_t inputs, std::size_t channels, bool flagged);
//! Samples of the blocks before, and spectra on the way through the transform.
FRINGE_API std::size_t channelizer_bytes(const kernels::channelizer_params& p);

//! Bytes of the spectra of a block in the layout in which an X-engine on a GPU takes them.
FRINGE_API std::size_t spectra_bytes(const kernels::xengine_params& p);
//! Blocks that this X-engine multiplies together, see tile_blocks_together().
FRINGE_API std::size_t blocks_together(const kernels::xengine_params& p);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_GPU_MEMORY_H */
