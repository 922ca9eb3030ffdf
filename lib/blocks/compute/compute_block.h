/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/compute/compute_input.h"
#include "blocks/compute/compute_output.h"
#include "blocks/compute/kernel_times.h"
#include "kernels/base/compute_target.h"

namespace gr::fringe {

/*!
 * A block with one input whose kernels run on a compute target, the CPU or a device. Its
 * ports know where the items are, in GNU Radio's ring or in device memory behind it, so the
 * block itself does the same in both cases.
 */
class compute_block : public virtual gr::block,
                      public guarded_block,
                      public device_block,
                      public timed_block
{
public:
    std::shared_ptr<kernels::device> works_on(const gr::buffer&) const override
    {
        return d_on;
    }
    kernels::spectra_layout layout_in(const gr::buffer& ring) const override;
    const kernel_times& times() const override { return d_times; }
    bool start() override;
    bool stop() override;

protected:
    //! `on` is the device, or null for the CPU. With `to_host` the outputs go to the host
    //! whatever block reads them. Kernels write the first `ports` outputs, the host the others.
    explicit compute_block(std::shared_ptr<kernels::device> on,
                           bool to_host = false,
                           std::size_t ports = SIZE_MAX);

    //! Must be called before items are used, in every call of work. Not before an item has come
    //! in: the block before says where its items are when it writes the first one.
    void open_ports();
    bool ports_open() const { return d_open; }
    //! Returns the bytes of an output item in a layout, 0 where the kernels cannot write it.
    virtual std::size_t item_bytes_in(kernels::spectra_layout) const { return 0; }
    //! Called when the ports have been opened, at the start and after every change of the
    //! flowgraph.
    virtual void opened() {}

    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_max_items; //!< that are taken in one call of work
    compute_input d_in;
    std::vector<compute_output> d_out; //!< those that kernels write
    kernel_times d_times;

private:
    bool d_open = false;
};

//! Returns the device that kernels of a compute target run on, null for the CPU. Throws
//! device_error.
std::shared_ptr<kernels::device> device_of(const kernels::compute_target& where);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_BLOCK_H */
