/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_ITEM_RING_H
#define INCLUDED_FRINGE_STAGES_ITEM_RING_H

#include <condition_variable>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gr::fringe {

namespace kernels {
class workers;
}

/*!
 * The newest items of a stream, in memory or in a file that is mapped into memory.
 *
 * Items are counted from 0. One thread puts them in; it never waits for the others, which read
 * items in place: an item that a reader holds keeps its memory, and a newer item in its place gets
 * other memory. So a reader sees an item whole, or not at all. Several threads copy them.
 */
class FRINGE_API item_ring
{
public:
    //! Room for `items` of `item_bytes`, and for one that each of `readers` holds besides.
    //! With a `folder` the memory is a file there, which has no name and is gone with the ring.
    //! Throws std::invalid_argument for sizes of 0, std::runtime_error where there is too little
    //! memory or disk.
    item_ring(std::size_t item_bytes,
              std::size_t items,
              std::size_t readers,
              const std::string& folder = "");
    ~item_ring();
    item_ring(const item_ring&) = delete;
    item_ring& operator=(const item_ring&) = delete;

    //! Adds items in the place of the oldest ones.
    void put(const std::uint8_t* items, std::size_t count);
    //! No items come for now, so nobody has to wait for them; or they come again.
    void set_ended(bool ended);
    bool ended() const;

    //! The oldest item that is there, and the one that comes next.
    std::uint64_t first() const;
    std::uint64_t next() const;
    //! Waits until an item has come, for so many seconds at most; whether it has.
    bool wait_for(std::uint64_t number, double seconds);
    //! An item, for as long as it is not released; null where it is not there (any more).
    //! Throws std::logic_error when as many are held as there are readers.
    const std::uint8_t* hold(std::uint64_t number);
    void release(const std::uint8_t* item);

    std::size_t item_bytes() const { return d_item_bytes; }
    std::size_t items() const { return d_slots.size(); }

private:
    struct slot {
        std::size_t place; // of its memory
        bool filled = false;
    };
    std::uint8_t* at(std::size_t place) { return d_memory + place * d_item_bytes; }
    std::uint8_t* begin_item();
    void copy(const std::vector<std::uint8_t*>& to, const std::uint8_t* from);
    void finish_item();

    const std::size_t d_item_bytes;
    std::uint8_t* d_memory = nullptr;
    std::size_t d_mapped = 0; // bytes
    std::vector<slot> d_slots;
    std::vector<std::size_t> d_spare; // places
    std::vector<unsigned> d_holders;  // of each place
    std::vector<bool> d_replaced;     // places that are spare when they are released
    std::size_t d_held = 0;
    const std::size_t d_readers;
    const std::shared_ptr<kernels::workers> d_workers;
    std::uint64_t d_begun = 0, d_next = 0;
    bool d_ended = false;
    mutable std::mutex d_mutex;
    std::condition_variable d_came;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_ITEM_RING_H */
