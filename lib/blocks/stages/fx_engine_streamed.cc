/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Samples that come to the fx_engine through its port.

#include "blocks/base/block_checks.h"
#include "blocks/stages/fx_engine_impl.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr::fringe {

// The workers read items in the ring before this block, if it is long enough for all that they
// work on at a time. GNU Radio may move memory that is mapped once. A source of packets needs the
// ring itself, for those that come late.
void fx_engine_impl::choose_place()
{
    const auto reader = detail()->input(0);
    const auto ring = static_cast<std::size_t>(reader->max_possible_items_available());
    const bool stays =
        reader->buffer()->get_mapping_type() == gr::buffer_mapping_type::double_mapped;
    d_room = stays && !d_raw.watched() && ring > d_items_in_work ? ring - 1 : 0;
}

// Items that nobody reads any more.
void fx_engine_impl::consume_used(raw_items& in)
{
    if (const std::size_t used = d_taken.take_ready()) {
        consume(0, static_cast<int>(used));
        in.first += used * d_item_bytes;
        in.count -= used;
    }
}

// No more samples will come.
bool fx_engine_impl::ended(std::size_t available) const
{
    return d_recorded ||
           (available == d_taken.size() && input_ended(*this, 0, d_taken.size()));
}

// Takes the next item, and returns true; or waits for a stretch, where the ring is full of items
// that are worked on. What fails here ends the data behind the items that came before.
bool fx_engine_impl::take_item(const raw_items& in)
{
    if (d_room > 0 && d_taken.size() >= d_room) {
        if (d_workers.size() > 0) {
            collect(d_workers.take());
            return false;
        }
        d_taken.copy(d_blocks, d_item_bytes); // the next stretch is longer than the ring
        return true;
    }
    const std::size_t next = d_taken.size();
    try {
        plan_item(in.first + next * d_item_bytes, nitems_read(0) + next);
    } catch (const std::exception&) {
        d_failed = std::current_exception();
    }
    return true;
}

void fx_engine_impl::plan_item(const std::uint8_t* in, std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    if (const auto start = tags.start(d_plan.time())) {
        if (const auto missing = d_plan.begin(start->time, start->rate)) {
            d_logger->warn("gap: {:d} samples of every input are missing", missing);
        }
    }
    if (tags.rx_freq) {
        d_plan.set_frequency(*tags.rx_freq);
    }
    if (tags.damaged) {
        d_finished.set_damaged(tags.damaged);
    }
    d_data_ended = false;
    auto block = std::make_shared<raw_block>();
    if (d_room > 0) {
        d_taken.read(block, in);
    } else {
        copy_samples(*block, in, d_item_bytes, d_blocks);
        d_taken.pass();
    }
    block->samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_settings.u.block_samples), d_settings.u.block_samples);
    block->invalid = runs_of_inputs(tags.invalid, d_settings.u.rows);
    d_raw.took(tags, block->samples);
    d_plan.add(std::move(block));
}

// The flowgraph stops, and may go on with another ring: samples that are needed still are copied
// out of this one.
void fx_engine_impl::keep_items()
{
    if (d_taken.size() == 0) {
        return;
    }
    d_workers.wait();
    d_taken.copy(d_blocks, d_item_bytes);
    consume(0, static_cast<int>(d_taken.take_ready()));
}

} // namespace gr::fringe
