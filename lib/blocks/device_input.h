/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICE_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_DEVICE_INPUT_H

#include "blocks/device_ring.h"
#include <deque>
#include <optional>

namespace gr {
namespace fringe {

/*!
 * The input port of a block that may work on a device: gives every item as memory the
 * block's kernels can read.
 *
 * Without a device that is the host's ring itself. Items that are on the device already
 * (device_ring) are handed on. Others are copied there in the lane `up`, several ahead:
 * such an item is taken, and its results produced, before it may be consumed, because the
 * copy must have passed first. On a device whose memory is the host's nothing is copied;
 * an item may be consumed when what reads it is done.
 */
class device_input
{
public:
    //! `on` null: no device.
    device_input(gr::block& owner,
                 std::shared_ptr<kernels::device> on,
                 std::size_t item_bytes);

    //! Where the items come from, once the flowgraph runs. Throws device_error.
    void open();
    //! Before the flowgraph goes away or changes. The device has come to rest.
    void close();
    //! The flowgraph starts, or goes on, with an empty ring.
    void begin_run();
    //! Layout of the spectra that come in.
    kernels::spectra_layout layout() const;

    //! Copies under way at most: enough to keep the link busy, few enough that the device
    //! is never far behind.
    static constexpr std::size_t most_copies = 8;

    //! Items taken and not yet consumed.
    std::size_t in_flight() const { return d_in_flight; }
    //! Another item can be taken when `available` are there.
    bool ready(std::size_t available) const;
    //! The next item, `host` being the first that was not consumed. The same until
    //! done().
    const void* item(const void* host);
    //! The kernels that read the item have been started.
    void done();
    //! Items that may be consumed now; `wait`: at least one if any was taken.
    int release(bool wait);

private:
    struct copy {
        char* memory;
        std::unique_ptr<kernels::device_event> arrived, read;
    };
    const void* upload(const void* host);
    int release_used(bool wait);

    gr::block& d_owner;
    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_bytes;
    bool d_open = false;
    std::shared_ptr<device_ring> d_ring;
    std::optional<registered_ring> d_registered;
    std::optional<ring_addresses> d_addresses; //!< of a ring that is used where it is
    std::deque<const void*> d_used;            //!< items in flight on the host's cores
    std::shared_ptr<char> d_memory;
    std::vector<copy> d_copies;
    std::uint64_t d_taken = 0;
    std::size_t d_in_flight = 0;
    const void* d_item = nullptr;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICE_INPUT_H */
