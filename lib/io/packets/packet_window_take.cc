/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Of packet_window, what the thread that takes calls, and the items that it offers.
#include "io/packets/packet_window.h"
#include "kernels/base/stream_copy.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace gr::fringe::io {

// Whether all of the stretch that is being taken can be taken, and another one follows.
bool packet_window::stretch_is_over() const
{
    return d_stretches.size() > 1 &&
           d_closed.load(std::memory_order_acquire) >= d_stretches[1].end_before;
}

// Samples of the stretch that can be taken.
std::size_t packet_window::there() const
{
    if (!d_taking) {
        return 0;
    }
    const std::int64_t closed = d_closed.load(std::memory_order_acquire);
    const std::int64_t end =
        d_stretches.size() > 1 ? std::min(d_stretches[1].end_before, closed) : closed;
    const std::int64_t slots = end - d_taken.load(std::memory_order_relaxed);
    return slots > 0 ? static_cast<std::size_t>(slots) * d_layout.samples - d_offset : 0;
}

bool packet_window::has_item(std::size_t block) const
{
    return there() >= block || stretch_is_over() || d_ended ||
           (!d_taking && !d_stretches.empty());
}

// Goes on to the next stretch, where there is one.
bool packet_window::next_stretch()
{
    if (d_taking ? !stretch_is_over() : d_stretches.empty()) {
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

// The threads that put wake this one when this number of samples can be taken.
void packet_window::want(std::size_t samples)
{
    const std::size_t slots =
        (d_offset + samples + d_layout.samples - 1) / d_layout.samples;
    d_wanted.store(d_taking ? d_taken.load(std::memory_order_relaxed) +
                                  static_cast<std::int64_t>(slots)
                            : 0,
                   std::memory_order_relaxed);
}

std::optional<packet_window::taken>
packet_window::take(std::uint8_t* out, std::size_t block, std::size_t maximum)
{
    constexpr std::chrono::milliseconds max_wait{100};
    taken t;
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        want(maximum);
        if (!d_ready.wait_for(lock, max_wait, [&] { return has_item(maximum); })) {
            return std::nullopt;
        }
        while (there() == 0 && next_stretch()) {
        }
        t.samples = std::min(there(), maximum);
        if (t.samples < maximum && !d_ended && !stretch_is_over()) {
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
                                 std::vector<lost_run>& lost)
{
    if (d_spectra) {
        if (samples < block) {
            std::memset(out, 0, d_spectra->item_bytes(block));
        }
        for (std::size_t part = 0; part < d_parts; ++part) {
            d_spectra->begin(out, block, part);
            copy_part(out, block, part, samples, lost);
            d_spectra->end();
        }
        return;
    }
    std::vector<std::vector<lost_run>> of_part(d_parts);
    const auto copy = [&](std::size_t part) {
        copy_part(out, block, part, samples, of_part[part]);
        d_samples.clear(out, block, part, samples, block - samples);
    };
    if (is_much_in_rows(samples)) {
        d_workers->run(d_parts, [&](std::size_t part, unsigned) {
            copy(part);
            kernels::stream_fence();
        });
    } else {
        for (std::size_t part = 0; part < d_parts; ++part) {
            copy(part);
        }
    }
    for (const auto& runs : of_part) {
        lost.insert(lost.end(), runs.begin(), runs.end());
    }
}

// Packets that found no offer have to be copied from their rows. One thread copies no faster
// than several receive: it would fall further behind, and find no packet in its place again.
bool packet_window::is_much_in_rows(std::size_t samples) const
{
    constexpr std::size_t enough_bytes = std::size_t(1) << 20;
    const std::size_t enough = enough_bytes / d_row_bytes + 1;
    std::int64_t slot = d_taken.load(std::memory_order_relaxed);
    const std::int64_t end =
        slot + static_cast<std::int64_t>((d_offset + samples) / d_layout.samples);
    std::size_t rows = 0;
    for (; slot < end && rows < enough; ++slot) {
        for (std::size_t part = 0; part < d_parts; ++part) {
            rows += state_of(slot, part).load(std::memory_order_relaxed) == good;
        }
    }
    return rows >= enough;
}

void packet_window::copy_part(std::uint8_t* out,
                              std::size_t block,
                              std::size_t part,
                              std::size_t samples,
                              std::vector<lost_run>& lost)
{
    std::int64_t slot = d_taken.load(std::memory_order_relaxed);
    std::size_t from = d_offset;
    for (std::size_t at = 0; at < samples; ++slot, from = 0) {
        const std::size_t count = std::min(d_layout.samples - from, samples - at);
        const std::uint8_t s = state_of(slot, part).load(std::memory_order_relaxed);
        const std::uint8_t* const payload = s == good ? row(slot, part) : nullptr;
        if (d_spectra) {
            d_spectra->add(payload, from, count);
        } else if (payload) {
            d_samples.copy(out, block, part, {at, from, count}, payload);
        } else if (s != placed) {
            d_samples.clear(out, block, part, at, count);
        }
        if (s != good && s != placed) {
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

// ------------------------------------------------------------------- items on offer

// Items of spectra are made of many packets at once, and codes that are changed cannot be
// brought back to what they were: both are copied when the items are taken.
void packet_window::offer(std::uint8_t* items, std::size_t count, std::size_t block)
{
    if (!d_taking || d_spectra || !d_samples.verbatim() || block < d_layout.samples) {
        return;
    }
    std::lock_guard<std::mutex> lock(d_mutex);
    d_offer = {d_stretches.front().first,
               place_of(d_taken.load(std::memory_order_relaxed)) +
                   static_cast<std::int64_t>(d_offset),
               items,
               count,
               block};
}

// An offer to a stretch of time that has ended is out of date.
void packet_window::accept_offer()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (d_begun && d_offer.stretch == d_stretch.first) {
        d_offered = d_offer;
    }
}

bool packet_window::is_offered(std::int64_t slot) const
{
    const std::int64_t since = place_of(slot) - d_offered.first;
    return since >= 0 && static_cast<std::size_t>(since) + d_layout.samples <=
                             d_offered.count * d_offered.block;
}

// The samples of a slot from the first one on that the items have.
copy_order packet_window::order_to_items(std::int64_t slot,
                                         const offered_items& offered) const
{
    copy_order order;
    order.block = offered.block;
    const std::int64_t since = place_of(slot) - offered.first;
    const auto from = static_cast<std::size_t>(std::max<std::int64_t>(-since, 0));
    const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(since, 0));
    const std::size_t bytes = d_samples.item_bytes(offered.block);
    std::uint8_t* const item = offered.items + begin / offered.block * bytes;
    const std::size_t at = begin % offered.block, count = d_layout.samples - from,
                      here = std::min(count, offered.block - at);
    order.pieces[0] = {item, {at, from, here}};
    if (here < count) {
        order.pieces[1] = {item + bytes, {0, from + here, count - here}};
    }
    return order;
}

// Copies what is in the items back to its row.
void packet_window::rescue(std::int64_t slot, std::size_t part)
{
    auto& state = state_of(slot, part);
    if (state.load(std::memory_order_relaxed) != placed) {
        return;
    }
    for (const copy_order::piece& piece : order_to_items(slot, d_offer).pieces) {
        if (piece.item) {
            d_samples.copy_back(
                piece.item, d_offer.block, part, piece.range, row(slot, part));
        }
    }
    state.store(good, std::memory_order_relaxed);
}

void packet_window::withdraw()
{
    for (std::int64_t slot = d_taken; slot < d_head; ++slot) {
        for (std::size_t part = 0; part < d_parts; ++part) {
            rescue(slot, part);
        }
    }
    d_offer = d_offered = {};
}

} // namespace gr::fringe::io
