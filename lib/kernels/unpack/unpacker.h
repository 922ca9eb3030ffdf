/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_UNPACKER_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_UNPACKER_H

#include "kernels/base/compute_target.h"
#include "kernels/unpack/encoding.h"
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

struct unpacker_params {
    encoding from;
    component to = component::i8;
    std::size_t block_samples = 1; //!< samples of every input in a block
    std::size_t files = 1;         //!< sub-blocks of a raw block, one after the other
    //! [place in the recording] -> input; its size is the number of inputs, a multiple
    //! of files.
    std::vector<std::size_t> rows;
};

//! Raw sample blocks, as recorded, to voltages [input][time].
class FRINGE_API unpacker
{
public:
    virtual ~unpacker() = default;
    virtual void process(const void* raw, void* voltages) = 0;
    //! Adds to `counts` [input] how many of the first `samples` samples of every input
    //! are at the rail of the encoding (see saturated()).
    virtual void
    count_saturated(const void* voltages, std::size_t samples, std::uint64_t* counts) = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<unpacker> make_unpacker(const compute_target& where,
                                                   const unpacker_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_UNPACKER_H */
