/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICE_OUTPUT_H
#define INCLUDED_FRINGE_BLOCKS_DEVICE_OUTPUT_H

#include "blocks/device_ring.h"
#include <functional>
#include <memory>
#include <optional>

namespace gr {
namespace fringe {

//! What a block says of its input, so that the block before it knows where to leave the
//! data.
class device_reader
{
public:
    virtual ~device_reader() = default;
    //! The device it reads from, or null.
    virtual std::shared_ptr<kernels::device> reads_on() const = 0;
    //! The layout of spectra it would like best.
    virtual kernels::spectra_layout wanted_layout() const
    {
        return kernels::spectra_layout::rows;
    }
};

/*!
 * An output port of a block that may work on a device: memory its kernels can write, and
 * the way from there to whoever reads.
 *
 * Without a device that is the host's ring itself. With one, items stay in a device_ring
 * if all readers work on that device; else they are copied into the host's ring, and are
 * produced when they have arrived. The host's cores write them there themselves.
 */
class device_output
{
public:
    //! `on` null: no device. `to_host`: never leaves items on the device.
    device_output(gr::block& owner,
                  std::size_t port,
                  std::shared_ptr<kernels::device> on,
                  std::size_t item_bytes,
                  bool to_host = false);

    //! Bytes of an item in a layout, 0 where the kernels cannot write that.
    using item_sizes = std::function<std::size_t(kernels::spectra_layout)>;
    //! Who reads, once the flowgraph runs. Throws device_error.
    void open(gr::logger& log, const item_sizes& bytes_in);
    //! Before the flowgraph goes away or changes. The device has come to rest.
    void close();
    //! Layout that all who read would like best. May be asked by the block before as soon
    //! as the flowgraph runs.
    kernels::spectra_layout wanted_layout() const;
    //! Layout of the spectra that are wanted.
    kernels::spectra_layout layout() const
    {
        return d_ring ? d_ring->layout() : kernels::spectra_layout::rows;
    }

    //! Items stay on the device, and the ring is not used.
    bool on_device() const { return d_ring && !d_copy; }

    //! Memory for the item that belongs at `host` in the ring.
    void* item(void* host) const;
    //! The kernels that write it have been started.
    void done(void* host);
    //! Returns when everything that must go to the host has arrived there.
    void wait();

private:
    bool host_reads() const;
    kernels::spectra_layout layout_they_want() const;
    bool stays_in_host_ring(const gr::buffer_sptr& host) const;

    gr::block& d_owner;
    const std::size_t d_port;
    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_bytes;
    const bool d_to_host;
    bool d_open = false;
    bool d_copy = false;                       // to the host's ring as well
    bool d_waiting = false;                    // a copy is under way
    std::optional<ring_addresses> d_addresses; // of a ring that is used where it is
    std::weak_ptr<gr::buffer> d_used_ring;     // that ring
    std::vector<const void*> d_given;          // items there that the host reads
    std::shared_ptr<device_ring> d_ring;
    //! The host's, where items are copied to.
    std::unique_ptr<registered_ring> d_registered;
    std::unique_ptr<kernels::device_event> d_written, d_arrived;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICE_OUTPUT_H */
