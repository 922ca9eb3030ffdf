/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_receiver.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr std::size_t min_agree = 8, max_agree = 64;

std::int64_t floor_of(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

} // namespace

packet_receiver::packet_receiver(packet_parser parser,
                                 packet_window& window,
                                 std::size_t parts)
    : d_parser(std::move(parser)),
      d_window(window),
      d_reach(static_cast<std::int64_t>(window.capacity() - window.window())),
      d_enough(std::clamp(2 * parts, min_agree, max_agree)),
      d_turn(layout().turn()),
      d_packet_ticks(layout().packet_ticks())
{
}

void packet_receiver::take(const std::uint8_t* packet,
                           std::size_t size,
                           const fringe::epoch& now)
{
    d_window.carry_out(sort_in(d_parser.parse(packet, size), size, now, 0));
    d_window.copied(0);
}

copy_order packet_receiver::sort_in(const parsed_packet& p,
                                    std::size_t size,
                                    const fringe::epoch& now,
                                    std::size_t putter)
{
    using outcome = parsed_packet::outcome;
    d_putter = putter;
    if (p.what == outcome::foreign) {
        ++d_foreign;
        return {};
    }
    if (p.what != outcome::good) {
        d_wrong_size = size;
    }
    if (p.what == outcome::garbled || (p.what == outcome::damaged && !d_began)) {
        ++d_garbled;
        return {};
    }
    const std::int64_t tick = unwrapped(p.time, now);
    if (!d_began) {
        begin(tick, p.frequency, now);
    }
    if (follows(tick)) {
        forget_doubted();
        return place(p.part, tick, p.payload, p.invalid);
    }
    if (p.what == outcome::damaged) {
        ++d_garbled;
    } else {
        doubt(p, tick, now);
    }
    return {};
}

// A counter that begins again behind its end goes on from the newest packet.
std::int64_t packet_receiver::unwrapped(std::int64_t time, const fringe::epoch& now)
{
    if (d_turn == 0) {
        return time;
    }
    if (!d_began && (layout().wraps || !layout().epoch)) {
        return time + layout().wraps.value_or(0) * d_turn;
    }
    const std::int64_t near =
        d_began ? d_last_tick : layout().ticks(*layout().epoch, now);
    const std::int64_t turns = floor_of(near - time + d_turn / 2, d_turn);
    return time + std::max<std::int64_t>(turns, 0) * d_turn;
}

std::int64_t packet_receiver::slot_of(std::int64_t tick) const
{
    return d_slot0 + floor_of(tick - d_tick0, d_packet_ticks);
}

// Whether a packet of that time has a place in the window, or had one not long ago.
bool packet_receiver::follows(std::int64_t tick) const
{
    const std::int64_t slot = slot_of(tick);
    return (tick - d_tick0) % d_packet_ticks == 0 &&
           slot <= d_window.newest() + d_reach && slot >= d_window.oldest();
}

copy_order packet_receiver::place(std::size_t part,
                                  std::int64_t tick,
                                  const std::uint8_t* payload,
                                  bool invalid)
{
    ++d_placed;
    d_last_tick = std::max(d_last_tick, tick);
    return d_window.claim(slot_of(tick), part, payload, invalid, d_putter);
}

bool packet_receiver::agrees(std::int64_t tick) const
{
    const std::int64_t away = tick - d_doubted.back().tick;
    return away % d_packet_ticks == 0 && std::abs(away / d_packet_ticks) <= d_reach;
}

void packet_receiver::doubt(const parsed_packet& p,
                            std::int64_t tick,
                            const fringe::epoch& now)
{
    if (!d_doubted.empty() && !agrees(tick)) {
        forget_doubted();
    }
    d_doubted.push_back(
        {p.part,
         tick,
         p.invalid,
         p.frequency,
         std::vector<std::uint8_t>(p.payload, p.payload + layout().payload_bytes())});
    if (d_doubted.size() >= d_enough) {
        believe(now);
    }
}

// They stood alone.
void packet_receiver::forget_doubted()
{
    for (const held_packet& p : d_doubted) {
        const bool old = (p.tick - d_tick0) % d_packet_ticks == 0 &&
                         slot_of(p.tick) < d_window.oldest();
        ++(old ? d_late : d_garbled);
    }
    d_doubted.clear();
}

// The senders have another time now.
void packet_receiver::believe(const fringe::epoch& now)
{
    const std::vector<held_packet> packets = std::move(d_doubted);
    d_doubted.clear();
    begin(packets.front().tick, packets.front().frequency, now);
    for (const held_packet& p : packets) {
        if (follows(p.tick)) {
            d_window.carry_out(place(p.part, p.tick, p.payload.data(), p.invalid));
        } else {
            ++d_garbled;
        }
    }
}

void packet_receiver::begin(std::int64_t tick, double frequency, const fringe::epoch& now)
{
    d_began = true;
    ++d_stretches;
    d_tick0 = d_last_tick = tick;
    const bool dated = layout().epoch.has_value();
    d_slot0 = d_window.begin(dated ? *layout().epoch : now, dated ? tick : 0, frequency);
}

void packet_receiver::end() { forget_doubted(); }

packet_counts packet_receiver::counts() const
{
    packet_counts all = d_window.counts();
    all.garbled += d_garbled;
    all.foreign += d_foreign;
    all.late += d_late;
    return all;
}

} // namespace io
} // namespace fringe
} // namespace gr
