/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_receiver.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

constexpr std::size_t min_agree = 8, max_agree = 64;
// This many packets in a row, and no other one: the other sources are silent.
constexpr std::size_t alone = 1024;

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
      d_parts(parts),
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
    const bool in_reach = follows(tick);
    const bool damaged = p.what == outcome::damaged;
    if (in_reach && !(damaged && runs_ahead(slot_of(tick)))) {
        forget_doubted();
        if (!damaged && waits(p, tick)) {
            return {};
        }
        const copy_order order = place(p.part, tick, p.payload, p.invalid);
        place_reached();
        return order;
    }
    if (damaged) {
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
           slot <= d_window.front().slot() + d_reach && slot >= d_window.oldest();
}

bool packet_receiver::runs_ahead(std::int64_t slot) const
{
    return slot > d_window.front().slot() + static_cast<std::int64_t>(d_window.window());
}

// Whether a packet is kept until the next one of its source agrees with it: it is far ahead
// of most, and of what its own source has sent so far.
bool packet_receiver::waits(const parsed_packet& p, std::int64_t tick)
{
    const std::int64_t slot = slot_of(tick);
    const auto window = static_cast<std::int64_t>(d_window.window());
    const auto before = d_ahead.empty() ? d_ahead.end() : d_ahead.find(p.part);
    if (before != d_ahead.end()) {
        if (before->second.tick == tick) {
            ++d_duplicate;
            return true;
        }
        if (slot <= d_window.front().newest(p.part)) {
            return false; // It comes late, or again, and says nothing of the newer one.
        }
        const held_packet held = std::move(before->second);
        d_ahead.erase(before);
        if (slot >= slot_of(held.tick) - window) {
            place(held);
            return false;
        }
        leave_out(held);
    }
    const arrival_front& front = d_window.front();
    if (!runs_ahead(slot) || slot <= front.slot() + front.lead(p.part) + window) {
        return false;
    }
    d_ahead.emplace(p.part, held_packet(p, tick, layout().payload_bytes()));
    place_agreed(slot);
    return true;
}

// Where most sources are ahead together, the data have a gap, and go on.
void packet_receiver::place_agreed(std::int64_t slot)
{
    const auto agrees = [&](const auto& p) {
        return std::abs(slot_of(p.second.tick) - slot) <=
               static_cast<std::int64_t>(d_window.window());
    };
    const auto agreed =
        static_cast<std::size_t>(std::count_if(d_ahead.begin(), d_ahead.end(), agrees));
    if (agreed < 2 || 2 * agreed <= d_window.front().counting()) {
        return;
    }
    for (auto p = d_ahead.begin(); p != d_ahead.end();) {
        if (agrees(*p)) {
            place(p->second);
            p = d_ahead.erase(p);
        } else {
            ++p;
        }
    }
}

void packet_receiver::place(const held_packet& p)
{
    d_window.carry_out(place(p.part, p.tick, p.payload.data(), p.invalid));
}

// Those whose time most sources have reached wait no longer.
void packet_receiver::place_reached()
{
    for (auto p = d_ahead.begin(); p != d_ahead.end();) {
        if (runs_ahead(slot_of(p->second.tick))) {
            ++p;
        } else {
            place(p->second);
            p = d_ahead.erase(p);
        }
    }
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
    d_doubted.emplace_back(p, tick, layout().payload_bytes());
    if (d_doubted.size() >= d_enough &&
        (majority_agrees() || d_doubted.size() >= alone)) {
        believe(now);
    }
}

// More sources agree with the doubted time than stay with the present one.
bool packet_receiver::majority_agrees() const
{
    std::vector<bool> agree(d_parts);
    for (const held_packet& p : d_doubted) {
        agree[p.part] = true;
    }
    std::size_t others = 0;
    for (std::size_t part = 0; part < d_parts; ++part) {
        others += !agree[part] && d_window.front().counts(part);
    }
    return static_cast<std::size_t>(std::count(agree.begin(), agree.end(), true)) >
           others;
}

void packet_receiver::leave_out(const held_packet& p)
{
    const bool old =
        (p.tick - d_tick0) % d_packet_ticks == 0 && slot_of(p.tick) < d_window.oldest();
    ++(old ? d_late : d_garbled);
    ++d_strays.packets;
    d_strays.part = p.part;
    d_strays.ahead = static_cast<double>(slot_of(p.tick) - d_window.front().slot()) *
                     static_cast<double>(layout().samples) / layout().sample_rate();
}

// They stood alone.
void packet_receiver::forget_doubted()
{
    for (const held_packet& p : d_doubted) {
        leave_out(p);
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
            place(p);
        } else {
            ++d_garbled;
        }
    }
}

void packet_receiver::begin(std::int64_t tick, double frequency, const fringe::epoch& now)
{
    for (const auto& [part, p] : d_ahead) {
        leave_out(p);
    }
    d_ahead.clear();
    d_began = true;
    ++d_stretches;
    d_tick0 = d_last_tick = tick;
    const bool dated = layout().epoch.has_value();
    d_slot0 = d_window.begin(dated ? *layout().epoch : now, dated ? tick : 0, frequency);
}

void packet_receiver::end()
{
    forget_doubted();
    for (const auto& [part, p] : d_ahead) {
        leave_out(p);
    }
    d_ahead.clear();
}

packet_counts packet_receiver::counts() const
{
    packet_counts all = d_window.counts();
    all.garbled += d_garbled;
    all.foreign += d_foreign;
    all.late += d_late;
    all.duplicate += d_duplicate;
    return all;
}

} // namespace gr::fringe::io
