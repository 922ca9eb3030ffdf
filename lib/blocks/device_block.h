/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICE_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DEVICE_BLOCK_H

#include "blocks/device_input.h"
#include "blocks/device_output.h"
#include "blocks/guarded_block.h"

namespace gr {
namespace fringe {

/*!
 * A block with one input whose kernels may run on a device: its ports know where the
 * items are, so the block itself does the same on a device and without one.
 */
class device_block : public virtual gr::block, public guarded_block, public device_reader
{
public:
    std::shared_ptr<kernels::device> reads_on() const override { return d_on; }
    bool start() override;
    bool stop() override;

protected:
    //! `on`: null for a block that works on the host. `to_host`: the outputs are for the
    //! host in any case. `ports`: outputs that kernels write; the host writes the others.
    explicit device_block(std::shared_ptr<kernels::device> on,
                          bool to_host = false,
                          std::size_t ports = SIZE_MAX);

    //! Before items are used, in every call of work.
    void open_ports();
    //! Bytes of an output item in a layout, 0 where the kernels cannot write that.
    virtual std::size_t item_bytes_in(kernels::spectra_layout) const { return 0; }
    //! The ports have been opened, at the start and after every change of the flowgraph.
    virtual void opened() {}

    const std::shared_ptr<kernels::device> d_on;
    device_input d_in;
    std::vector<device_output> d_out; //!< those that kernels write

private:
    bool d_open = false;
};

//! The device that kernels of a backend run on, null for those of the host.
std::shared_ptr<kernels::device> device_of(kernels::backend which);
//! The same for unpacker, F-engine and X-engine, which on the host run on its cores
//! (shared_cores()).
std::shared_ptr<kernels::device> device_or_cores_of(kernels::backend which);

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICE_BLOCK_H */
