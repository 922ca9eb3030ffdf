/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_window.h"
#include "kernels/base/memory.h"
#include "kernels/base/stream_copy.h"
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <sys/mman.h>

namespace gr::fringe::io {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t line = 64;                        // bytes
constexpr std::size_t huge_page = std::size_t(2) << 20; // bytes

// Packets come to all parts of the window in turn, so that ordinary pages would be looked
// up for nearly every packet: where the system has huge pages, they are asked for.
std::uint8_t* lines(std::size_t bytes)
{
    const std::size_t unit = bytes < huge_page ? line : huge_page;
    const std::size_t whole = (bytes + unit - 1) / unit * unit;
    kernels::require_memory(
        "udp_source", "the packets of buffer_seconds and window_seconds", whole);
    auto* p = static_cast<std::uint8_t*>(std::aligned_alloc(unit, whole));
    if (p == nullptr) {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    if (unit == huge_page) {
        madvise(p, whole, MADV_HUGEPAGE); // A wish: where it is refused nothing changes.
    }
#endif
    std::memset(p, 0, bytes); // Its pages are there before the packets come.
    return p;
}

void add(std::atomic<std::uint64_t>& to, std::uint64_t n = 1)
{
    to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

// A source is silent when another one has sent this number of packets meanwhile: those of a window,
// or, as packets are read some hundred at a time from each socket, more, where there is room
// to wait for it.
std::size_t round_of(std::size_t window, std::size_t capacity)
{
    constexpr std::size_t burst = 256;
    return std::max<std::size_t>(
        std::min(std::max(window, burst), (capacity - window) / 2), 1);
}

} // namespace

packet_window::packet_window(const packet_layout& layout,
                             std::size_t parts,
                             std::size_t window,
                             std::size_t capacity,
                             std::size_t putters)
    : d_layout(layout),
      d_parts(parts),
      d_window(std::max<std::size_t>(window, 2)),
      d_capacity(std::max(capacity, 2 * d_window)),
      d_row_bytes((layout.payload_bytes() + line - 1) / line * line),
      d_data(lines(parts * d_capacity * d_row_bytes), &std::free),
      d_states(new std::atomic<std::uint8_t>[d_capacity * parts]),
      d_tallies(new part_tally[parts]),
      d_workers(kernels::workers::shared()),
      d_samples(layout, parts),
      d_spectra(layout.spectra() ? new spectra_copy(layout, parts) : nullptr),
      d_front(parts, round_of(d_window, d_capacity)),
      d_copying(putters, none)
{
    for (std::size_t k = 0; k < d_capacity * parts; ++k) {
        d_states[k] = empty;
    }
}

std::uint8_t* packet_window::row(std::int64_t slot, std::size_t part) const
{
    const std::size_t number =
        part * d_capacity + static_cast<std::size_t>(slot) % d_capacity;
    return d_data.get() + number * d_row_bytes;
}

std::int64_t
packet_window::begin(const fringe::epoch& epoch, std::int64_t tick, double frequency)
{
    close(true);
    d_newest = d_head - 1; // What found no room and lies behind is left out.
    d_front.begin(d_newest);
    if (d_begun) {
        d_stretch.end_before = d_head;
    }
    d_begun = false;
    d_lowest = d_head;
    d_offered = {};
    d_stretch.first = d_head + static_cast<std::int64_t>(d_window) - 1;
    d_stretch.epoch = epoch;
    d_stretch.tick = tick;
    d_stretch.frequency = frequency;
    return d_stretch.first;
}

// Opens slots up to `slot`; false where those to be taken leave no room for it.
bool packet_window::open_to(std::int64_t slot)
{
    const std::int64_t end =
        d_taken.load(std::memory_order_acquire) + static_cast<std::int64_t>(d_capacity);
    for (; d_head <= slot && d_head < end; ++d_head) {
        for (std::size_t part = 0; part < d_parts; ++part) {
            state_of(d_head, part).store(empty, std::memory_order_relaxed);
        }
    }
    return slot < d_head;
}

copy_order packet_window::claim(std::int64_t slot,
                                std::size_t part,
                                const std::uint8_t* payload,
                                bool invalid,
                                std::size_t putter)
{
    part_tally& tally = d_tallies[part];
    d_newest = std::max(d_newest, slot);
    d_front.arrived(part, slot);
    if (!open_to(slot)) {
        add(payload ? tally.dropped : d_damaged);
        return {};
    }
    if (slot < oldest()) {
        add(payload ? d_late_elsewhere : d_damaged);
        return {};
    }
    if (!payload) {
        put_damaged(slot, part);
        return {};
    }
    if (slot < d_next_close) {
        put_late(slot, part);
        return {};
    }
    auto& now = state_of(slot, part);
    const std::uint8_t before = now.load(std::memory_order_relaxed);
    if (is_whole(before)) {
        add(d_duplicates);
        return {};
    }
    if (before == damaged) {
        add(tally.damaged, ~std::uint64_t(0));
    }
    add(tally.good);
    if (invalid) {
        now.store(marked, std::memory_order_relaxed);
        return {};
    }
    d_copying[putter] = std::min(d_copying[putter], slot);
    const bool in_items = is_offered(slot);
    now.store(in_items ? placed : good, std::memory_order_relaxed);
    copy_order order;
    if (in_items) {
        order = order_to_items(slot, d_offered);
    } else {
        order.row = row(slot, part);
    }
    order.payload = payload;
    order.part = part;
    return order;
}

void packet_window::carry_out(const copy_order& order) const
{
    if (!order.payload) {
        return;
    }
    if (order.row) {
        kernels::stream_copy(order.row, order.payload, d_layout.payload_bytes());
        return;
    }
    for (const copy_order::piece& piece : order.pieces) {
        if (piece.item) {
            d_samples.copy(
                piece.item, order.block, order.part, piece.range, order.payload);
        }
    }
}

void packet_window::copied(std::size_t putter)
{
    kernels::stream_fence();
    d_copying[putter] = none;
    hand_on();
}

// Its place is known, and is not missing: what is lost there came damaged.
void packet_window::put_damaged(std::int64_t slot, std::size_t part)
{
    add(d_damaged);
    auto& now = state_of(slot, part);
    if (now.load(std::memory_order_relaxed) == empty) {
        now.store(damaged, std::memory_order_relaxed);
        add(d_tallies[part].damaged);
    }
}

void packet_window::put_late(std::int64_t slot, std::size_t part)
{
    auto& now = state_of(slot, part);
    const std::uint8_t before = now.load(std::memory_order_relaxed);
    if (before != empty && before != damaged) {
        add(d_duplicates);
        return;
    }
    if (before == damaged) {
        add(d_tallies[part].damaged, ~std::uint64_t(0));
    }
    now.store(late, std::memory_order_relaxed);
    add(d_tallies[part].late);
}

// A stretch begins with the first slot that holds a packet.
bool packet_window::begins_at(std::int64_t slot) const
{
    for (std::size_t part = 0; part < d_parts; ++part) {
        const std::uint8_t s = state_of(slot, part).load(std::memory_order_relaxed);
        if (is_whole(s)) {
            return true;
        }
    }
    return false;
}

void packet_window::close_slot(std::int64_t slot)
{
    if (!d_begun) {
        if (!begins_at(slot)) {
            return;
        }
        d_begun = true;
        d_stretch.tick -= (d_stretch.first - slot) * d_layout.packet_ticks();
        d_stretch.first = d_lowest = slot;
        std::lock_guard<std::mutex> lock(d_mutex);
        d_stretches.push_back(d_stretch);
        d_wanted.store(0, std::memory_order_relaxed);
    }
    for (std::size_t part = 0; part < d_parts; ++part) {
        const std::uint8_t s = state_of(slot, part).load(std::memory_order_relaxed);
        if (s == marked) {
            add(d_tallies[part].invalid);
        } else if (!is_whole(s)) {
            add(d_tallies[part].blank);
        }
    }
}

void packet_window::close(bool all)
{
    accept_offer();
    if (d_newest >= d_head) {
        open_to(d_newest);
    }
    const std::int64_t end = std::min(
        d_head,
        all ? d_newest + 1 : d_front.slot() + 1 - static_cast<std::int64_t>(d_window));
    while (d_next_close < end) {
        close_slot(d_next_close++);
    }
    hand_on();
}

// Slots that are closed can be taken, up to the first that a thread still copies to. Of a
// stretch that has not begun, none can.
void packet_window::hand_on()
{
    const std::int64_t closed = d_begun ? d_next_close : d_stretch.end_before;
    const std::int64_t end =
        std::min(closed, *std::min_element(d_copying.begin(), d_copying.end()));
    if (end > d_closed.load(std::memory_order_relaxed)) {
        d_closed.store(end, std::memory_order_release);
        if (end >= d_wanted.load(std::memory_order_relaxed)) {
            d_ready.notify_one();
        }
    }
}

void packet_window::end()
{
    close(true);
    std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = true;
    d_ready.notify_one();
}

// ------------------------------------------------------------------------ any thread

part_counts packet_window::counts_of(std::size_t part) const
{
    const part_tally& t = d_tallies[part];
    part_counts c;
    c.good = t.good;
    c.late = t.late;
    c.garbled = t.damaged;
    c.dropped = t.dropped;
    c.invalid = t.invalid;
    c.missing = less(t.blank, c.late + c.garbled + c.dropped);
    return c;
}

packet_counts packet_window::counts() const
{
    packet_counts all;
    all.late = d_late_elsewhere;
    all.duplicate = d_duplicates;
    all.garbled = d_damaged;
    for (std::size_t part = 0; part < d_parts; ++part) {
        const part_counts c = counts_of(part);
        all.good += c.good;
        all.missing += c.missing;
        all.late += c.late;
        all.dropped += c.dropped;
    }
    return all;
}

std::size_t packet_window::waiting() const
{
    const std::int64_t n = d_closed - d_taken;
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

} // namespace gr::fringe::io
