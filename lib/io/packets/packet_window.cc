/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_window.h"
#include "io/packets/stream_copy.h"
#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr std::size_t line = 64;                        // bytes
constexpr std::size_t huge_page = std::size_t(2) << 20; // bytes

// Packets come to all parts of the window in turn, so that ordinary pages would be looked
// up for nearly every packet: where the system has huge pages, they are asked for.
std::uint8_t* lines(std::size_t bytes)
{
    const std::size_t unit = bytes < huge_page ? line : huge_page;
    const std::size_t whole = (bytes + unit - 1) / unit * unit;
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

} // namespace

packet_window::packet_window(const packet_layout& layout,
                             std::size_t parts,
                             std::size_t window,
                             std::size_t capacity)
    : d_layout(layout),
      d_parts(parts),
      d_window(std::max<std::size_t>(window, 2)),
      d_capacity(std::max(capacity, 2 * d_window)),
      d_row_bytes((layout.payload_bytes() + line - 1) / line * line),
      d_data(lines(parts * d_capacity * d_row_bytes), &std::free),
      d_states(new std::atomic<std::uint8_t>[d_capacity * parts]),
      d_tallies(new part_tally[parts]),
      d_spectra(layout.spectra() ? new spectra_copy(layout, parts) : nullptr)
{
    for (std::size_t k = 0; k < d_capacity * parts; ++k) {
        d_states[k] = empty;
    }
}

std::atomic<std::uint8_t>& packet_window::state_of(std::int64_t slot,
                                                   std::size_t part) const
{
    return d_states[static_cast<std::size_t>(slot) % d_capacity * d_parts + part];
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
    if (d_begun) {
        d_stretch.end_before = d_head;
    }
    d_begun = false;
    d_lowest = d_head;
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

void packet_window::put(std::int64_t slot,
                        std::size_t part,
                        const std::uint8_t* payload,
                        bool invalid)
{
    part_tally& tally = d_tallies[part];
    d_newest = std::max(d_newest, slot);
    if (!open_to(slot)) {
        add(payload ? tally.dropped : d_damaged);
        return;
    }
    if (slot < std::max(oldest(), d_lowest)) {
        add(payload ? d_late_elsewhere : d_damaged);
        return;
    }
    if (!payload) {
        put_damaged(slot, part);
        return;
    }
    if (slot < d_next_close) {
        put_late(slot, part);
        return;
    }
    auto& now = state_of(slot, part);
    const std::uint8_t before = now.load(std::memory_order_relaxed);
    if (before == good || before == marked) {
        add(d_duplicates);
        return;
    }
    if (before == damaged) {
        add(tally.damaged, ~std::uint64_t(0));
    }
    stream_copy(row(slot, part), payload, d_layout.payload_bytes());
    now.store(invalid ? marked : good, std::memory_order_relaxed);
    add(tally.good);
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
        if (s == good || s == marked) {
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
    }
    for (std::size_t part = 0; part < d_parts; ++part) {
        const std::uint8_t s = state_of(slot, part).load(std::memory_order_relaxed);
        if (s == marked) {
            add(d_tallies[part].invalid);
        } else if (s != good) {
            add(d_tallies[part].blank);
        }
    }
}

void packet_window::close(bool all)
{
    if (d_newest >= d_head) {
        open_to(d_newest);
    }
    const std::int64_t end = std::min(
        d_head, all ? d_newest + 1 : d_newest + 1 - static_cast<std::int64_t>(d_window));
    if (d_next_close >= end) {
        return;
    }
    while (d_next_close < end) {
        close_slot(d_next_close++);
    }
    if (d_begun) {
        stream_fence();
        d_closed.store(d_next_close, std::memory_order_release);
        d_ready.notify_one();
    }
}

void packet_window::end()
{
    close(true);
    std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = true;
    d_ready.notify_one();
}

// ------------------------------------------------------------- the thread that takes

// Samples of the stretch that can be taken.
std::size_t packet_window::there() const
{
    if (!d_taking) {
        return 0;
    }
    const std::int64_t end = d_stretches.size() > 1
                                 ? d_stretches[1].end_before
                                 : d_closed.load(std::memory_order_acquire);
    const std::int64_t slots = end - d_taken.load(std::memory_order_relaxed);
    return slots > 0 ? static_cast<std::size_t>(slots) * d_layout.samples - d_offset : 0;
}

bool packet_window::has_item(std::size_t block) const
{
    return there() >= block || d_stretches.size() > (d_taking ? 1u : 0u) || d_ended;
}

// Goes on to the next stretch, where there is one.
bool packet_window::next_stretch()
{
    if (d_stretches.size() <= (d_taking ? 1u : 0u)) {
        return false;
    }
    if (d_taking) {
        d_stretches.pop_front();
    }
    d_taking = d_at_begin = true;
    d_offset = 0;
    d_taken.store(d_stretches.front().first, std::memory_order_release);
    return true;
}

std::optional<packet_window::taken>
packet_window::take(std::uint8_t* out, std::size_t block, std::size_t most)
{
    constexpr std::chrono::milliseconds patience{100};
    taken t;
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        if (!d_ready.wait_for(lock, patience, [&] { return has_item(most); })) {
            return std::nullopt;
        }
        while (there() == 0 && next_stretch()) {
        }
        t.samples = std::min(there(), most);
        if (t.samples < most && !d_ended && d_stretches.size() < 2) {
            return std::
                nullopt; // A stretch has begun, and holds less than a block so far.
        }
        if (t.samples == 0) {
            return t;
        }
        t.begins = std::exchange(d_at_begin, false);
        t.start = d_layout.instant(d_stretches.front().epoch, d_stretches.front().tick);
        t.frequency = d_stretches.front().frequency;
    }
    copy_samples(out, block, t.samples, t.lost);
    d_offset += t.samples;
    const std::size_t slots = d_offset / d_layout.samples;
    d_offset %= d_layout.samples;
    d_taken.store(d_taken.load(std::memory_order_relaxed) +
                      static_cast<std::int64_t>(slots),
                  std::memory_order_release);
    return t;
}

void packet_window::copy_samples(std::uint8_t* out,
                                 std::size_t block,
                                 std::size_t samples,
                                 std::vector<lost_run>& lost) const
{
    if (samples < block) {
        copy_zeros(out, block);
    }
    const std::size_t bytes = block * d_layout.streams * d_layout.wire->raw_bits / 8;
    for (std::size_t part = 0; part < d_parts; ++part) {
        if (d_spectra) {
            d_spectra->begin(out, block, part);
            copy_part(out, block, part, samples, lost);
            d_spectra->end();
        } else {
            copy_part(out + part * bytes, block, part, samples, lost);
        }
    }
}

void packet_window::copy_zeros(std::uint8_t* out, std::size_t block) const
{
    const std::size_t bytes =
        d_spectra ? d_spectra->item_bytes(block)
                  : d_parts * block * d_layout.streams * d_layout.wire->raw_bits / 8;
    std::memset(out, 0, bytes);
}

void packet_window::copy_part(std::uint8_t* out,
                              std::size_t block,
                              std::size_t part,
                              std::size_t samples,
                              std::vector<lost_run>& lost) const
{
    std::int64_t slot = d_taken.load(std::memory_order_relaxed);
    std::size_t from = d_offset;
    for (std::size_t at = 0; at < samples; ++slot, from = 0) {
        const std::size_t count = std::min(d_layout.samples - from, samples - at);
        const bool there = state_of(slot, part).load(std::memory_order_relaxed) == good;
        const std::uint8_t* const payload = there ? row(slot, part) : nullptr;
        if (d_spectra) {
            d_spectra->add(payload, from, count);
        } else {
            copy_packet(out, block, at, payload, from, count);
        }
        if (!there) {
            const bool goes_on = !lost.empty() && lost.back().part == part &&
                                 lost.back().first + lost.back().count == at;
            if (!goes_on) {
                lost.push_back({part, at, 0});
            }
            lost.back().count += count;
        }
        at += count;
    }
}

// Samples from ... of a payload (null: zeros) become those at ... of an item's part.
void packet_window::copy_packet(std::uint8_t* out,
                                std::size_t block,
                                std::size_t at,
                                const std::uint8_t* payload,
                                std::size_t from,
                                std::size_t count) const
{
    const wire_samples& wire = *d_layout.wire;
    const std::size_t rows = d_layout.stream_major ? d_layout.streams : 1;
    const std::size_t wide = d_layout.stream_major ? 1 : d_layout.streams;
    for (std::size_t r = 0; r < rows; ++r) {
        std::uint8_t* to = out + (r * block + at) * wide * wire.raw_bits / 8;
        const std::size_t first = (r * d_layout.samples + from) * wide;
        if (!payload) {
            std::memset(to, 0, count * wide * wire.raw_bits / 8);
        } else if (wire.convert) {
            wire.convert(payload, first, count * wide, to);
        } else {
            std::memcpy(
                to, payload + first * wire.bits / 8, count * wide * wire.bits / 8);
        }
    }
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

} // namespace io
} // namespace fringe
} // namespace gr
