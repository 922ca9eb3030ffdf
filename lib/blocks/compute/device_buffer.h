/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_DEVICE_BUFFER_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_DEVICE_BUFFER_H

#include "kernels/base/types.h"
#include "kernels/device/device.h"
#include <gnuradio/block.h>
#include <gnuradio/buffer.h>
#include <vector>

namespace gr::fringe {

/*!
 * Device memory behind the ring between two blocks: slot n belongs to item n of the ring.
 *
 * GNU Radio keeps an ordinary ring of host memory between the blocks, with its counters,
 * tags and scheduling; its pages are never touched while the data stay in the slots. Only
 * where a block that knows nothing of devices reads the ring too, the writer also copies
 * every item there. So any block may be connected to any other.
 */
class device_buffer
{
public:
    //! Allocates slots of `bytes` on the device `on`, one for each item of the ring `host`.
    device_buffer(std::shared_ptr<kernels::device> on,
                  gr::buffer& host,
                  std::size_t bytes,
                  kernels::spectra_layout layout);
    device_buffer(const device_buffer&) = delete;
    device_buffer& operator=(const device_buffer&) = delete;

    //! Returns the slot of the item at a place in GNU Radio's ring.
    void* slot(const void* in_ring) const;
    //! Item `from` of this ring becomes item `to` of the other one, which has slots of the same
    //! size on the same device: their slots change places. Nobody else may read the item.
    void move(const void* from, device_buffer& other, const void* to);
    std::size_t bytes() const { return d_bytes; }
    const std::shared_ptr<kernels::device>& on() const { return d_on; }
    //! The layout of the spectra in the slots.
    kernels::spectra_layout layout() const { return d_layout; }

    //! Returns the device_buffer of a ring of GNU Radio, or null.
    static std::shared_ptr<device_buffer> find(const gr::buffer_sptr& host);
    //! Returns the device_buffer of a ring of GNU Radio; creates it if needed. Throws
    //! device_error when there is one of another size or layout. It lives as long as a
    //! pointer to it does.
    static std::shared_ptr<device_buffer> attach(std::shared_ptr<kernels::device> on,
                                                 const gr::buffer_sptr& host,
                                                 std::size_t bytes,
                                                 kernels::spectra_layout layout);

private:
    std::size_t number_of(const void* in_ring) const;

    const std::shared_ptr<kernels::device> d_on;
    const char* const d_base;
    const std::size_t d_item_bytes, d_bytes;
    const kernels::spectra_layout d_layout;
    std::vector<std::shared_ptr<char>> d_slots;
};

//! While one of these lives, a device copies from and to a ring of GNU Radio without a
//! detour, if the system allows it. Several users of a ring may have one each.
class registered_ring
{
public:
    registered_ring(const std::shared_ptr<kernels::device>& on,
                    const gr::buffer_sptr& host);
    ~registered_ring();
    registered_ring(const registered_ring&) = delete;
    registered_ring& operator=(const registered_ring&) = delete;

private:
    const gr::buffer_sptr d_host;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_DEVICE_BUFFER_H */
