/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_XENGINE_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_XENGINE_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * X-engine: sums of products of all pairs of inputs, per channel.
 *
 *     S_c,ij = sum_t x_c,i[t] conj(x_c,j[t]),   i <= j
 *
 * Spectra blocks are [channel][input][time], or in another layout. Complex int8 input gives exact complex int32
 * sums (at most max_exact_spectra of them fit), complex float32 input complex float32
 * sums.
 */
struct xengine_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    std::size_t block_spectra = 1; //!< length of the time axis of a block
    component in = component::f32; //!< f32 or i8
    spectra_layout layout = spectra_layout::channel_major;
};

class FRINGE_API xengine
{
public:
    //! Every sum of this number of products of int8 pairs fits into int32.
    static constexpr std::size_t max_exact_spectra = 65535;

    virtual ~xengine() = default;
    //! Adds spectra first ... first + count - 1 of a block to the sums.
    virtual void
    accumulate(const void* spectra, std::size_t first, std::size_t count) = 0;
    //! The most blocks that accumulate_blocks() takes, 1 where taking several together saves
    //! nothing.
    virtual std::size_t blocks_together() const { return 1; }
    //! Adds some blocks, of so many spectra each, to the sums, as if one after the other.
    virtual void accumulate_blocks(const std::vector<const void*>& blocks,
                                   std::size_t spectra);
    //! Writes the sums of channels first ... first + count - 1 to `out`
    //! [channel][baseline], complex float32 or complex int32.
    virtual void read(std::size_t first, std::size_t count, void* out) const = 0;
    //! Sets all sums to zero.
    virtual void clear() = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<xengine> make_xengine(const compute_target& where,
                                                 const xengine_params& p);

//! The layout of spectra that is fastest for an X-engine which takes them as items of a
//! stream: tiles on some devices, spectra as transforms make them on the CPU, rows else.
FRINGE_API spectra_layout layout_of_items(const compute_target& where,
                                          const xengine_params& p);

//! The layout that the backend cpu takes best: rows or spectra.
FRINGE_API spectra_layout cpu_layout(const xengine_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_XENGINE_H */
