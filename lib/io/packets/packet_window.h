/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_WINDOW_H
#define INCLUDED_FRINGE_IO_PACKET_WINDOW_H

#include "io/packets/arrival_front.h"
#include "io/packets/packet_layout.h"
#include "io/packets/samples_copy.h"
#include "io/packets/spectra_copy.h"
#include "kernels/base/workers.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace gr::fringe::io {

/*!
 * What became of packets. A place that no packet has filled is `missing`, unless it is
 * known why: its packet came late, damaged, or found the buffer full.
 */
struct packet_counts {
    std::uint64_t good = 0;
    std::uint64_t missing = 0;
    std::uint64_t late = 0;      //!< came when its place had been handed on
    std::uint64_t duplicate = 0; //!< came again
    std::uint64_t garbled = 0;   //!< of another size, or no packets of the layout
    std::uint64_t dropped = 0;   //!< found the buffer full, as the reader is too slow
    std::uint64_t foreign = 0;   //!< of a sender or stream that is not received
    std::uint64_t kernel_dropped = 0; //!< found the socket's buffer full
};

//! Packets of one source, and those of them whose samples are marked as bad.
struct part_counts {
    std::uint64_t good = 0, missing = 0, late = 0, garbled = 0, dropped = 0, invalid = 0;
};

//! Where a payload has to be copied to: a row of the window's memory, or one or two items.
struct copy_order {
    const std::uint8_t* payload = nullptr; //!< null: nothing has to be copied
    std::uint8_t* row = nullptr;
    std::size_t part = 0, block = 0; //!< samples of an item
    struct piece {
        std::uint8_t* item = nullptr;
        sample_range range;
    };
    std::array<piece, 2> pieces; //!< where there is no row
};

/*!
 * Payloads in the order of their time. The time is divided into slots, one packet of every
 * source each; the `window` slots up to the newest that most sources have reached are open,
 * and those ahead of them. Some threads put packets into slots,
 * another takes samples of the slots that are closed; none of them waits for the others.
 *
 * A payload is copied once if the thread that takes has offered the memory of the items
 * that come next, and so far that the payload's place is among them. Otherwise it is kept
 * in memory of the window's own, and is copied to its item when that is taken.
 *
 * Slots are numbered through, over restarts of the senders too, which begin a new stretch
 * of time.
 */
class FRINGE_API packet_window
{
public:
    //! `capacity` slots are kept, open ones and those that wait to be taken. `putters`
    //! threads put packets.
    packet_window(const packet_layout& layout,
                  std::size_t parts,
                  std::size_t window,
                  std::size_t capacity,
                  std::size_t putters = 1);

    // By the threads that put, one at a time, but for carry_out().

    //! Begins a stretch of time: the packet that begins `tick` ticks after `epoch` belongs
    //! to the slot that is returned. The slots of a window before it are open, too.
    std::int64_t begin(const fringe::epoch& epoch, std::int64_t tick, double frequency);
    //! A packet that came whole, or damaged (payload null). Its slot is not handed on before
    //! this thread has called copied(). The order is valid until then.
    copy_order claim(std::int64_t slot,
                     std::size_t part,
                     const std::uint8_t* payload,
                     bool invalid,
                     std::size_t putter = 0);
    //! Copies a payload; at any time, by any thread.
    void carry_out(const copy_order& order) const;
    //! Everything that a putter has claimed is copied.
    void copied(std::size_t putter = 0);
    //! Closes the slots that are more than the window behind the front; `all`: all.
    void close(bool all);
    //! Everything that came can be taken, and nothing more will come.
    void end();
    //! The oldest slot whose packets are remembered, or the first of a stretch.
    std::int64_t oldest() const
    {
        return std::max(d_head - static_cast<std::int64_t>(d_capacity), d_lowest);
    }
    //! How far most sources are.
    const arrival_front& front() const { return d_front; }
    std::size_t window() const { return d_window; }

    // By the thread that takes.

    struct lost_run {
        std::size_t part;
        std::uint64_t first, count; //!< samples
    };
    struct taken {
        std::size_t samples = 0; //!< 0 = the end
        bool begins = false;     //!< a stretch of time, at `start`
        fringe::epoch start;
        double frequency = 0;
        std::vector<lost_run> lost;
    };
    //! The next `maximum` samples of every source into an item for `block`, [part][time][stream],
    //! or spectra, [channel][input][time] of complex int8: fewer at the end of a stretch; none
    //! while they are not there. Waits a tenth of a second for them.
    std::optional<taken> take(std::uint8_t* out, std::size_t block, std::size_t maximum);
    //! Offers the memory of the next `count` items, which lie behind each other from `items`
    //! on; the items must be taken into it. What was offered before stays offered.
    void offer(std::uint8_t* items, std::size_t count, std::size_t block);
    //! Takes back what was offered, while no thread puts: what has been put there is kept.
    void withdraw();

    // By any thread.
    packet_counts counts() const;
    part_counts counts_of(std::size_t part) const;
    //! Slots whose samples can be taken, at present.
    std::size_t waiting() const;
    std::size_t capacity() const { return d_capacity; }

private:
    // `good`: the payload is in its row; `placed`: it is in the items that were offered.
    enum state : std::uint8_t { empty, good, placed, marked, damaged, late };
    static bool is_whole(std::uint8_t s)
    {
        return s == good || s == placed || s == marked;
    }
    using counter = std::atomic<std::uint64_t>;
    struct part_tally {
        counter good{0}, blank{0}, late{0}, damaged{0}, dropped{0}, invalid{0};
    };
    struct stretch {
        std::int64_t first = 0; // slot
        fringe::epoch epoch;
        std::int64_t tick = 0; // of its first sample, since the epoch
        double frequency = 0;
        std::int64_t end_before = 0; // slot behind the last of the stretch before
    };
    // Items of samples. A place in time is counted in samples from slot 0 on.
    struct offered_items {
        std::int64_t stretch = -1; // slot that it begins with
        std::int64_t first = 0;    // place of the first sample
        std::uint8_t* items = nullptr;
        std::size_t count = 0, block = 0;
    };

    std::int64_t place_of(std::int64_t slot) const
    {
        return slot * static_cast<std::int64_t>(d_layout.samples);
    }
    std::atomic<std::uint8_t>& state_of(std::int64_t slot, std::size_t part) const
    {
        return d_states[static_cast<std::size_t>(slot) % d_capacity * d_parts + part];
    }
    std::uint8_t* row(std::int64_t slot, std::size_t part) const;
    bool open_to(std::int64_t slot);
    void put_damaged(std::int64_t slot, std::size_t part);
    void put_late(std::int64_t slot, std::size_t part);
    void close_slot(std::int64_t slot);
    bool begins_at(std::int64_t slot) const;
    void hand_on();
    void accept_offer();
    bool is_offered(std::int64_t slot) const;
    copy_order order_to_items(std::int64_t slot, const offered_items& offered) const;
    void rescue(std::int64_t slot, std::size_t part);
    bool stretch_is_over() const;
    std::size_t there() const;
    bool next_stretch();
    bool has_item(std::size_t block) const;
    void want(std::size_t samples);
    void copy_samples(std::uint8_t* out,
                      std::size_t block,
                      std::size_t samples,
                      std::vector<lost_run>& lost);
    bool is_much_in_rows(std::size_t samples) const;
    void copy_part(std::uint8_t* out,
                   std::size_t block,
                   std::size_t part,
                   std::size_t samples,
                   std::vector<lost_run>& lost);

    const packet_layout d_layout;
    const std::size_t d_parts;
    const std::size_t d_window;
    const std::size_t d_capacity;
    const std::size_t d_row_bytes;
    std::unique_ptr<std::uint8_t, void (*)(void*)> d_data; // [part][slot]
    std::unique_ptr<std::atomic<std::uint8_t>[]> d_states; // [slot][part]
    std::unique_ptr<part_tally[]> d_tallies;
    const std::shared_ptr<kernels::workers> d_workers; // they help the thread that takes
    const samples_copy d_samples;
    const std::unique_ptr<spectra_copy> d_spectra; // null for samples
    counter d_duplicates{0}, d_damaged{0}, d_late_elsewhere{0};

    // Of the threads that put.
    std::int64_t d_head = 0;    // slots before it have been opened
    std::int64_t d_newest = -1; // slot that a packet came for
    arrival_front d_front;
    std::int64_t d_next_close = 0;
    bool d_begun = false;      // the stretch has a first packet that was handed on
    stretch d_stretch{};       // the present one
    std::int64_t d_lowest = 0; // its first slot, or the first that may become that
    std::vector<std::int64_t> d_copying; // [putter] lowest slot that it copies to
    offered_items d_offered;

    std::atomic<std::int64_t> d_closed{0}; // slots before it can be taken
    std::atomic<std::int64_t> d_taken{0};  // slots before it have been
    std::atomic<std::int64_t> d_wanted{0}; // who takes waits until slots before it can be
    mutable std::mutex d_mutex;            // of what follows
    std::condition_variable d_ready;
    std::deque<stretch> d_stretches; // the one that is being taken, and those behind it
    bool d_ended = false;
    offered_items d_offer; // the last

    // Of the thread that takes.
    bool d_taking = false;    // the first of d_stretches
    bool d_at_begin = false;  // nothing of it was taken yet
    std::size_t d_offset = 0; // samples taken of slot d_taken
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_WINDOW_H */
