/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_RECEIVER_H
#define INCLUDED_FRINGE_IO_PACKET_RECEIVER_H

#include "io/packets/packet_parser.h"
#include "io/packets/packet_window.h"
#include <map>

namespace gr::fringe::io {

/*!
 * Puts packets into a window by the times in their headers.
 *
 * A packet whose time lies farther from the others' than the window can hold moves no time
 * by itself: it is garbled (late, where it is older), unless some in a row, of most sources,
 * agree with it. Then the senders have paused, or have started again, and a new stretch of
 * time begins. A packet that is ahead of most sources by more than the window waits for the
 * next one of its source, or for those of most sources: where they do not agree it is garbled.
 */
class FRINGE_API packet_receiver
{
public:
    packet_receiver(packet_parser parser, packet_window& window, std::size_t parts);

    //! Takes a packet; `now`: the computer's clock.
    void take(const std::uint8_t* packet, std::size_t size, const fringe::epoch& now);
    //! Finds the place of a packet that was parsed: what has to be copied before the window
    //! hears of it by copied().
    copy_order sort_in(const parsed_packet& packet,
                       std::size_t size,
                       const fringe::epoch& now,
                       std::size_t putter);
    //! What take() reads headers with. A parser is of use to other threads when it has
    //! chosen() its stream.
    packet_parser& parser() { return d_parser; }
    //! A packet of a sender that is not received.
    void take_foreign() { ++d_foreign; }
    //! A packet that could not be read whole.
    void take_cut() { ++d_garbled; }
    //! No more comes of what waits for others to agree with.
    void end();

    //! All but what the kernel has dropped.
    packet_counts counts() const;
    const packet_layout& layout() const { return d_parser.layout(); }
    //! The size of the last packet of a wrong size, 0 = there was none.
    std::size_t wrong_size() const { return d_wrong_size; }
    //! Packets that had a place in the window; of the thread that receives.
    std::uint64_t placed() const { return d_placed; }
    //! Packets that were left out for their time, and the last of them.
    struct strays {
        std::uint64_t packets = 0;
        std::size_t part = 0;
        double ahead = 0; //!< s, of most sources
    };
    strays left_out() const { return d_strays; }
    //! How often a new stretch of time has begun.
    std::uint64_t stretches() const { return d_stretches; }

private:
    struct held_packet {
        std::size_t part;
        std::int64_t tick;
        bool invalid;
        double frequency;
        std::vector<std::uint8_t> payload;
        held_packet(const parsed_packet& p, std::int64_t at, std::size_t bytes)
            : part(p.part),
              tick(at),
              invalid(p.invalid),
              frequency(p.frequency),
              payload(p.payload, p.payload + bytes)
        {
        }
    };

    std::int64_t unwrapped(std::int64_t time, const fringe::epoch& now);
    std::int64_t slot_of(std::int64_t tick) const;
    bool follows(std::int64_t tick) const;
    bool runs_ahead(std::int64_t slot) const;
    bool waits(const parsed_packet& packet, std::int64_t tick);
    void place(const held_packet& packet);
    void place_reached();
    void place_agreed(std::int64_t slot);
    void leave_out(const held_packet& packet);
    bool majority_agrees() const;
    bool agrees(std::int64_t tick) const;
    copy_order
    place(std::size_t part, std::int64_t tick, const std::uint8_t* payload, bool invalid);
    void doubt(const parsed_packet& p, std::int64_t tick, const fringe::epoch& now);
    void forget_doubted();
    void believe(const fringe::epoch& now);
    void begin(std::int64_t tick, double frequency, const fringe::epoch& now);

    packet_parser d_parser;
    packet_window& d_window;
    const std::int64_t d_reach; // slots that a packet may be ahead of the newest
    const std::size_t d_parts;
    const std::size_t d_enough; // packets in a row that agree
    const std::int64_t d_turn;
    const std::int64_t d_packet_ticks;
    bool d_began = false;
    std::int64_t d_last_tick = 0;          // unwrapped, of the newest packet
    std::int64_t d_slot0 = 0, d_tick0 = 0; // of the stretch
    std::size_t d_putter = 0;              // that the packet has come to
    std::vector<held_packet> d_doubted;
    std::map<std::size_t, held_packet> d_ahead; // [part] waits for the next one
    strays d_strays;
    std::uint64_t d_placed = 0;
    std::atomic<std::uint64_t> d_foreign{0}, d_garbled{0}, d_late{0}, d_duplicate{0},
        d_stretches{0};
    std::atomic<std::size_t> d_wrong_size{0};
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_RECEIVER_H */
