/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_OUTPUT_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_OUTPUT_H

#include "blocks/compute/device_buffer.h"
#include <functional>
#include <memory>

namespace gr::fringe {

//! A block that can read or write items on a device. The block at the other end of a ring asks
//! where, so that it knows where to leave the data.
class device_block
{
public:
    virtual ~device_block() = default;
    //! The device on whose memory it works at this ring; null on the CPU.
    virtual std::shared_ptr<kernels::device> works_on(const gr::buffer& ring) const = 0;
    //! The layout of spectra that suits it best, as a reader.
    virtual kernels::spectra_layout wanted_layout() const
    {
        return kernels::spectra_layout::channel_major;
    }
    //! The layout in which it writes the items of a ring on the CPU.
    virtual kernels::spectra_layout layout_in(const gr::buffer&) const
    {
        return kernels::spectra_layout::channel_major;
    }
};

//! Throws stream_mismatch with a sentence on both when the writer of a ring leaves its data
//! on a GPU and the reader reads them on another GPU.
void check_same_device(const gr::buffer& ring,
                       const gr::block& writer,
                       const gr::block& reader);

/*!
 * An output port of a compute_block: it gives the block's kernels memory for each item, and
 * brings the item to the blocks that read it.
 *
 * On the CPU this memory is GNU Radio's ring. On a device it is the slot of a device_buffer.
 * Items stay there if all readers compute on the same device. Otherwise they are also
 * copied into GNU Radio's ring, and are produced when they have arrived.
 */
class compute_output
{
public:
    //! Items are written on the device `on`, or on the CPU where that is null. With
    //! `to_host` they usually leave the device: the log does not mention it, and readers on
    //! another device are not refused.
    compute_output(gr::block& owner,
                   std::size_t port,
                   std::shared_ptr<kernels::device> on,
                   std::size_t item_bytes,
                   bool to_host = false);

    //! Returns the bytes of an item in a layout, 0 where the kernels cannot write that.
    using item_sizes = std::function<std::size_t(kernels::spectra_layout)>;
    //! Finds out who reads; the flowgraph must run. Throws device_error.
    void open(gr::logger& log, const item_sizes& bytes_in);
    //! Releases the ring, which may be freed or get other readers. The device must have
    //! come to rest.
    void close();
    //! The layout that suits all readers best. Upstream blocks may call this as soon as
    //! the flowgraph runs.
    kernels::spectra_layout wanted_layout() const;
    //! The layout in which items are to be written.
    kernels::spectra_layout layout() const
    {
        return d_ring ? d_ring->layout() : d_layout;
    }

    //! Returns memory for the item that belongs at `place` in GNU Radio's ring.
    void* item(void* place) const;
    //! The device memory behind the ring; null on the CPU.
    const std::shared_ptr<device_buffer>& ring() const { return d_ring; }
    //! The kernels that write the item have been started.
    void done(void* place);
    //! Whether items are being copied to the host, or were and nobody has waited for them.
    bool copying() const { return d_waiting; }
    //! Returns when all items that are copied to the host have arrived there.
    void wait();

private:
    bool host_reads() const;
    bool device_reads() const;
    kernels::spectra_layout common_layout() const;

    gr::block& d_owner;
    const std::size_t d_port;
    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_bytes;
    const bool d_to_host;
    bool d_open = false;
    kernels::spectra_layout d_layout{}; // on the CPU
    bool d_copy = false;                // items are copied into GNU Radio's ring
    bool d_waiting = false;             // a copy is under way
    std::shared_ptr<device_buffer> d_ring;
    std::unique_ptr<registered_ring> d_registered; // GNU Radio's, where items are copied
    std::unique_ptr<kernels::device_event> d_written, d_arrived;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_OUTPUT_H */
