/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICE_RING_H
#define INCLUDED_FRINGE_BLOCKS_DEVICE_RING_H

#include "kernels/device/device.h"
#include <gnuradio/block.h>
#include <gnuradio/buffer.h>

namespace gr {
namespace fringe {

/*!
 * Device memory behind the ring between two blocks: slot n belongs to item n of the ring.
 *
 * GNU Radio keeps an ordinary ring of host memory between the blocks, with its counters,
 * tags and scheduling; its pages are never touched while the data stay in the slots. Only
 * where a block that knows nothing of devices reads the ring too, the writer also copies
 * every item there. So any block may be connected to any other.
 *
 * On the host's cores slots are but names of items, which lie in the memory of whoever
 * works on them (kernels::item_lines).
 */
class device_ring
{
public:
    //! Slots of `bytes` for the ring `host`, on `on`.
    device_ring(std::shared_ptr<kernels::device> on,
                gr::buffer& host,
                std::size_t bytes,
                kernels::spectra_layout layout);
    ~device_ring();
    device_ring(const device_ring&) = delete;
    device_ring& operator=(const device_ring&) = delete;

    //! The slot of the item at a place in the host's ring.
    void* slot(const void* in_ring) const;
    std::size_t bytes() const { return d_bytes; }
    const std::shared_ptr<kernels::device>& on() const { return d_on; }
    //! How spectra are laid out in the slots.
    kernels::spectra_layout layout() const { return d_layout; }

    //! The one that belongs to a ring, or null.
    static std::shared_ptr<device_ring> find(const gr::buffer_sptr& host);
    //! Makes the one of a ring, or takes the one there is. Throws device_error when that
    //! has another size or layout. It lives as long as somebody keeps it.
    static std::shared_ptr<device_ring> attach(std::shared_ptr<kernels::device> on,
                                               const gr::buffer_sptr& host,
                                               std::size_t bytes,
                                               kernels::spectra_layout layout);

    //! What is thrown where a reader cannot have what lies in slots.
    static kernels::device_error unreadable();

private:
    void lend(std::size_t readers);

    const std::shared_ptr<kernels::device> d_on;
    const char* const d_base;
    const std::size_t d_item_bytes, d_items, d_bytes;
    const kernels::spectra_layout d_layout;
    char* d_memory;
};

//! A place in a ring, which GNU Radio maps twice, always by its first address.
class ring_addresses
{
public:
    explicit ring_addresses(gr::buffer& host)
        : d_base(host.base()),
          d_bytes(std::size_t(host.bufsize()) * host.get_sizeof_item())
    {
    }
    void* operator()(const void* at) const
    {
        const auto bytes =
            static_cast<std::size_t>(static_cast<const char*>(at) - d_base);
        return const_cast<char*>(d_base) + bytes % d_bytes;
    }

private:
    const char* d_base;
    std::size_t d_bytes;
};

//! A ring of host memory that a device copies from and to without a detour, as long as
//! this lives and the system allows it. Several users of a ring may have one each.
class registered_ring
{
public:
    registered_ring(std::shared_ptr<kernels::device> on, const gr::buffer_sptr& host);
    ~registered_ring();
    registered_ring(const registered_ring&) = delete;
    registered_ring& operator=(const registered_ring&) = delete;

private:
    const std::shared_ptr<kernels::device> d_on;
    const gr::buffer_sptr d_host;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICE_RING_H */
