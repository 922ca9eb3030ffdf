/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/filled_source.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <gnuradio/io_signature.h>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace gr::fringe {

namespace {

constexpr std::uint64_t start_second = 1781300000; // of the samples

double seconds()
{
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

filled_source::filled_source(std::size_t item_bytes,
                             std::size_t ring,
                             double sample_rate,
                             std::vector<std::uint8_t> some,
                             std::size_t piece,
                             bool rewrite)
    : gr::sync_block(
          "fringe_filled_source",
          gr::io_signature::make(0, 0, 0),
          gr::io_signature::make(1, 1, fringe::item_bytes("filled_source", item_bytes))),
      d_item_bytes(item_bytes),
      d_ring(ring),
      d_piece(piece),
      d_rewrite(rewrite),
      d_sample_rate(sample_rate),
      d_some(std::move(some))
{
    if (piece == 0 || d_some.empty() || d_some.size() % piece) {
        throw std::invalid_argument("filled_source: some: must be whole pieces of " +
                                    std::to_string(piece) + " bytes");
    }
    d_order.resize(d_some.size() / piece);
    std::iota(d_order.begin(), d_order.end(), std::size_t(0));
    set_min_output_buffer(static_cast<long>(ring));
}

void filled_source::keep_time(double rate)
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_rate = rate;
    d_state.began = seconds() - static_cast<double>(d_state.items) / rate;
}

void filled_source::end()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = true;
    d_changed.notify_all();
}

void filled_source::clear()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_state.late = d_state.gap = d_called = 0;
}

filled_source::state filled_source::now() const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    return d_state;
}

// Items to send now; waits for the next one that is due. None when there are no more.
std::uint64_t filled_source::due(std::uint64_t room)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    double at = seconds();
    if (d_called > 0) {
        d_state.gap = std::max(d_state.gap, at - d_called);
    }
    d_called = at;
    if (d_state.items == 0) {
        d_state.began = at;
    }
    if (d_rate > 0 && !d_ended) {
        const auto behind = [this, &at] {
            return (at - d_state.began) * d_rate - static_cast<double>(d_state.items) - 1;
        };
        const double late = behind();
        d_state.late = std::max(d_state.late, late);
        if (late > static_cast<double>(d_ring)) {
            // A card would have written over what is not read yet.
            const auto lost = static_cast<std::uint64_t>(late);
            d_state.lost += lost;
            d_state.began += static_cast<double>(lost) / d_rate;
        }
        if (late < 0) {
            const std::chrono::duration<double> wait(-late / d_rate);
            d_changed.wait_for(lock, wait, [this] { return d_ended; });
            at = seconds();
        }
        room = std::min(room, static_cast<std::uint64_t>(std::max(behind() + 1, 1.0)));
    }
    if (d_ended) {
        return 0;
    }
    return room;
}

// Pieces in another order: a search for interference finds noise that is the same in each item no
// longer to be noise.
void filled_source::fill(std::uint8_t* item)
{
    for (std::size_t first = 0; first < d_item_bytes; first += d_some.size()) {
        std::shuffle(d_order.begin(), d_order.end(), d_random);
        const std::size_t length = std::min(d_some.size(), d_item_bytes - first);
        for (std::size_t n = 0; n * d_piece < length; ++n) {
            std::memcpy(item + first + n * d_piece,
                        d_some.data() + d_order[n] * d_piece,
                        std::min(d_piece, length - n * d_piece));
        }
    }
}

void filled_source::add_tags()
{
    add_item_tag(0, 0, tag::rx_time(), tag::from_epoch({start_second, 0}));
    add_item_tag(0, 0, tag::rx_rate(), pmt::from_double(d_sample_rate));
}

int filled_source::work(int noutput_items,
                        gr_vector_const_void_star&,
                        gr_vector_void_star& output_items)
{
    const std::uint64_t sent = now().items;
    const std::uint64_t count = due(static_cast<std::uint64_t>(noutput_items));
    if (count == 0) {
        return WORK_DONE;
    }
    if (sent == 0) {
        add_tags();
    }
    for (std::uint64_t k = 0; k < count && (d_rewrite || sent + k < 2 * d_ring); ++k) {
        fill(static_cast<std::uint8_t*>(output_items[0]) + k * d_item_bytes);
    }
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_state.items += count;
    return static_cast<int>(count);
}

} // namespace gr::fringe
