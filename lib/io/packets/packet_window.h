/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_WINDOW_H
#define INCLUDED_FRINGE_IO_PACKET_WINDOW_H

#include "io/packets/packet_layout.h"
#include "io/packets/spectra_copy.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace gr {
namespace fringe {
namespace io {

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

/*!
 * Payloads in the order of their time. The time is divided into slots, one packet of every
 * source each; the newest `window` slots are open. One thread puts packets into slots,
 * another takes samples of the slots that are closed; neither waits for the other.
 *
 * Slots are numbered through, over restarts of the senders too, which begin a new stretch
 * of time.
 */
class FRINGE_API packet_window
{
public:
    //! `capacity` slots are kept, open ones and those that wait to be taken.
    packet_window(const packet_layout& layout,
                  std::size_t parts,
                  std::size_t window,
                  std::size_t capacity);

    // By the thread that puts.

    //! Begins a stretch of time: the packet that begins `tick` ticks after `epoch` belongs
    //! to the slot that is returned. The slots of a window before it are open, too.
    std::int64_t begin(const fringe::epoch& epoch, std::int64_t tick, double frequency);
    //! A packet that came whole, or damaged (payload null).
    void
    put(std::int64_t slot, std::size_t part, const std::uint8_t* payload, bool invalid);
    //! Closes the slots that are more than the window behind the newest; `all`: all.
    void close(bool all);
    //! Everything that came can be taken, and nothing more will come.
    void end();
    //! Slots that are known: from the oldest whose packets are remembered to the newest.
    std::int64_t oldest() const { return d_head - static_cast<std::int64_t>(d_capacity); }
    std::int64_t newest() const { return d_newest; }
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
    //! The next `most` samples of every source into an item for `block`, [part][time][stream],
    //! or spectra, [channel][input][time] of complex int8: fewer at the end of a stretch; none while they are not there. Waits a tenth of a
    //! second for them.
    std::optional<taken> take(std::uint8_t* out, std::size_t block, std::size_t most);

    // By any thread.
    packet_counts counts() const;
    part_counts counts_of(std::size_t part) const;
    //! Slots whose samples can be taken, at present.
    std::size_t waiting() const;
    std::size_t capacity() const { return d_capacity; }

private:
    enum state : std::uint8_t { empty, good, marked, damaged, late };
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

    std::atomic<std::uint8_t>& state_of(std::int64_t slot, std::size_t part) const;
    std::uint8_t* row(std::int64_t slot, std::size_t part) const;
    bool open_to(std::int64_t slot);
    void put_damaged(std::int64_t slot, std::size_t part);
    void put_late(std::int64_t slot, std::size_t part);
    void close_slot(std::int64_t slot);
    bool begins_at(std::int64_t slot) const;
    std::size_t there() const;
    bool next_stretch();
    bool has_item(std::size_t block) const;
    void copy_samples(std::uint8_t* out,
                      std::size_t block,
                      std::size_t samples,
                      std::vector<lost_run>& lost) const;
    void copy_part(std::uint8_t* out,
                   std::size_t block,
                   std::size_t part,
                   std::size_t samples,
                   std::vector<lost_run>& lost) const;
    void copy_zeros(std::uint8_t* out, std::size_t block) const;
    void copy_packet(std::uint8_t* out,
                     std::size_t block,
                     std::size_t at,
                     const std::uint8_t* payload,
                     std::size_t from,
                     std::size_t count) const;

    const packet_layout d_layout;
    const std::size_t d_parts;
    const std::size_t d_window;
    const std::size_t d_capacity;
    const std::size_t d_row_bytes;
    std::unique_ptr<std::uint8_t, void (*)(void*)> d_data; // [part][slot]
    std::unique_ptr<std::atomic<std::uint8_t>[]> d_states; // [slot][part]
    std::unique_ptr<part_tally[]> d_tallies;
    const std::unique_ptr<spectra_copy> d_spectra; // null for samples
    counter d_duplicates{0}, d_damaged{0}, d_late_elsewhere{0};

    // Of the thread that puts.
    std::int64_t d_head = 0; // slots before it have been opened
    std::int64_t d_newest = -1;
    std::int64_t d_next_close = 0;
    bool d_begun = false;      // the stretch has a first packet that was handed on
    stretch d_stretch{};       // the present one
    std::int64_t d_lowest = 0; // its first slot, or the first that may become that

    std::atomic<std::int64_t> d_closed{0}; // slots before it can be taken
    std::atomic<std::int64_t> d_taken{0};  // slots before it have been
    mutable std::mutex d_mutex;            // of what follows
    std::condition_variable d_ready;
    std::deque<stretch> d_stretches; // the one that is being taken, and those behind it
    bool d_ended = false;

    // Of the thread that takes.
    bool d_taking = false;    // the first of d_stretches
    bool d_at_begin = false;  // nothing of it was taken yet
    std::size_t d_offset = 0; // samples taken of slot d_taken
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_PACKET_WINDOW_H */
