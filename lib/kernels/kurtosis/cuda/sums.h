/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_SUMS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_SUMS_H

#include "kernels/cuda/context.h"
#include "kernels/kurtosis/kurtosis.h"
#include "kernels/xengine/tiles.h"

namespace gr::fringe::kernels {

//! What sums are kept in on the GPU: exact ones of int8 spectra.
template <class T>
struct kurtosis_sum {
    using type = unsigned long long;
};
template <>
struct kurtosis_sum<float> {
    using type = double;
};

//! A block of spectra to be added up.
template <class T>
struct kurtosis_task {
    const void* in;
    void* copy; //!< null: none
    tile_layout block;
    std::size_t count;                       //!< spectra to be added up
    typename kurtosis_sum<T>::type *s1, *s2; //!< [channel][input]

    FRINGE_HOST_DEVICE std::size_t cells() const { return block.channels * block.inputs; }
};

//! Adds up and copies [channel][input][time] of T = std::int8_t or float.
template <class T>
void launch_sum_rows(const cuda_context& c, const kurtosis_task<T>& t);
//! The same of tiles.
void launch_sum_tiles(const cuda_context& c, const kurtosis_task<std::int8_t>& t);

//! Blocks that cells are zeroed in at a time.
struct blocks_to_zero {
    static constexpr unsigned maximum = 32;
    void* at[maximum];
    unsigned count;
};

//! Zeroes `runs` runs of cells, the longest of them of `longest`, of rows of `row_bytes`.
void launch_zero_rows(const cuda_context& c,
                      const blocks_to_zero& blocks,
                      std::size_t row_bytes,
                      const cell_run* cells,
                      std::size_t runs,
                      std::size_t longest);
//! The same in tiles.
void launch_zero_tiles(const cuda_context& c,
                       const blocks_to_zero& blocks,
                       const tile_layout& layout,
                       const cell_run* cells,
                       std::size_t runs,
                       std::size_t longest);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_SUMS_H */
