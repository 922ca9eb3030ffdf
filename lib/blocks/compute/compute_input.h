/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_INPUT_H

#include "blocks/compute/device_buffer.h"
#include <optional>

namespace gr::fringe {

class compute_output;

//! The part of an item that kernels need: it lies in pieces of the same length, one
//! behind the other, and the bytes of each from `first` on are needed.
struct needed_bytes {
    std::size_t pieces = 1, first = 0;
};

/*!
 * An input port of a block that computes: it gives the block's kernels each item in memory that
 * they can read.
 *
 * On the CPU this memory is GNU Radio's ring. On a device it is the slot of a device_buffer
 * where the block before computes there, too. Other items are copied to the device in the
 * stream `h2d`, several ahead. Such an item is consumed when its copy is done, which may be
 * after its results were produced.
 *
 * Small items can be gathered on the device: kernels that need large blocks get them, while
 * the ring on the host stays in the third-level cache between the source that writes it and
 * the copy that reads it, and a block is copied while its end is still being written.
 */
class compute_input
{
public:
    //! Items are read on the device `on`, or on the CPU where that is null.
    compute_input(gr::block& owner,
                  std::shared_ptr<kernels::device> on,
                  std::size_t item_bytes,
                  std::size_t port = 0);

    //! Kernels get blocks of `items` items that lie in GNU Radio's ring. Each item has the
    //! same number of rows, `rows`, and so has the block: its rows are those of its items,
    //! one behind the other. Called in the owner's constructor, for a device.
    void gather(std::size_t items, std::size_t rows);

    //! Finds out where the items come from; the flowgraph must run. Throws device_error.
    void open();
    //! Releases the ring, which may be freed or get other readers. The device must have
    //! come to rest.
    void close();
    //! The flowgraph starts, or goes on, with an empty ring.
    void begin_run();
    //! The layout of the spectra that come in.
    kernels::spectra_layout layout() const;

    //! The most copies under way: enough to keep the link busy, few enough that the device
    //! is never far behind.
    static constexpr std::size_t max_copies = 8;
    //! Blocks that are gathered, or wait for kernels, on the device.
    static constexpr std::size_t gathered_blocks = 3;

    //! The number of items before the next one, or before the block that is being gathered,
    //! that were taken and are not consumed yet.
    std::size_t in_flight() const { return d_in_flight - d_gathered; }
    //! Whether another item can be taken when `available` are in the ring.
    bool ready(std::size_t available) const;
    //! Begins the copy of the next item into the block that is being gathered. `first` is the
    //! first item of the ring that was not consumed. Only what is needed of the block is
    //! copied: its pieces are its rows.
    void add_item(const void* first, const needed_bytes& needed);
    //! Items of that block so far.
    std::size_t gathered() const { return d_gathered; }
    //! Returns the next item, or the block of those that were added, behind which it is zero:
    //! the same until done(). `first` is the first item of the ring that was not consumed.
    //! Where items are copied, only what is needed is.
    const void* item(const void* first, const needed_bytes& needed = {});
    //! Whether items lie in a device_buffer, where they stay until they are consumed.
    bool stays() const { return static_cast<bool>(d_ring); }
    //! Whether move() can hand on items: they lie in a device_buffer that no other block reads.
    bool moves() const { return d_only_reader && d_ring; }
    //! The item that item() returned becomes the one at `place` of an output ring of the same
    //! device and the same layout, without a copy. To be called once the kernels that read it
    //! have been started, before done().
    void move(const void* first, const compute_output& out, const void* place);
    //! The kernels that read the item, or the block, have been started.
    void done();
    //! Returns how many items may be consumed now. With `wait` it is at least one, if any
    //! was taken.
    int release(bool wait);

private:
    struct block {
        char* memory;
        std::unique_ptr<kernels::device_event> read;
    };
    //! Items come through GNU Radio's ring and are needed on the device.
    bool copies() const { return d_on && !d_ring; }
    void make_blocks(std::size_t items_in_flight);
    void upload(const void* item, char* to, const needed_bytes& needed);
    const void* block_on_device();
    kernels::device_event& arrived(std::uint64_t number) const
    {
        return *d_arrived[number % d_arrived.size()];
    }

    gr::block& d_owner;
    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_bytes, d_port;
    bool d_open = false, d_only_reader = false;
    kernels::spectra_layout d_layout{}; // on the CPU
    std::shared_ptr<device_buffer> d_ring;
    std::optional<registered_ring> d_registered;
    std::shared_ptr<char> d_memory;
    std::size_t d_items = 1, d_rows = 1; // of a block
    std::vector<block> d_blocks;
    std::vector<std::unique_ptr<kernels::device_event>> d_arrived; // of each copy
    std::uint64_t d_begun = 0; // items that are copied, or were
    std::uint64_t d_taken = 0; // blocks, or items that are not copied
    std::size_t d_in_flight = 0;
    std::size_t d_gathered = 0; // items of the block that comes next
    const void* d_item = nullptr;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_COMPUTE_INPUT_H */
