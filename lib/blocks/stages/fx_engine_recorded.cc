/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A recording that the fx_engine reads itself: its dumps, its blocks, its end.
#include "blocks/stages/fx_engine_impl.h"
#include <stdexcept>

namespace gr::fringe {

// Tells the plan when the recording begins, once.
void fx_engine_impl::begin_recorded()
{
    if (!d_recorded) {
        throw std::invalid_argument(
            "fx_engine: dumps: of a stream all are made; give a recording");
    }
    if (!d_recorded_begun) {
        d_recorded_begun = true;
        d_plan.set_frequency(d_recorded->center_frequency());
        d_plan.begin(d_recorded->start_time(), d_recorded->sample_rate());
    }
}

std::pair<std::int64_t, std::int64_t> fx_engine_impl::recorded_dumps()
{
    gr::thread::scoped_lock guard(d_setlock);
    begin_recorded();
    const dump_range dumps = d_plan.dumps_in(d_recorded->total_samples());
    return {dumps.first, dumps.end};
}

std::int64_t fx_engine_impl::dumps_together()
{
    gr::thread::scoped_lock guard(d_setlock);
    begin_recorded();
    d_plan.dumps_in(0);
    return d_plan.dumps_together();
}

void fx_engine_impl::select_dumps(std::int64_t first, std::int64_t end)
{
    gr::thread::scoped_lock guard(d_setlock);
    begin_recorded();
    try {
        d_recorded->begin_at(d_plan.select({first, end}) * d_settings.u.block_samples);
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(std::string("fx_engine: ") + e.what());
    }
}

// Dumps of which the recording has nothing are left out where they are many.
void fx_engine_impl::skip_gap()
{
    const io::sample_range gap = d_recorded->gap();
    if (gap.empty()) {
        return;
    }
    if (const auto to = d_plan.skip({gap.begin, gap.end})) {
        d_recorded->skip_to(to->position, to->lost);
    }
}

// Plans the next block of the recording; false at its end, or where no selected dump is left.
bool fx_engine_impl::plan_recorded()
{
    begin_recorded();
    if (!d_plan.past_selection()) {
        skip_gap();
    }
    auto block = d_plan.past_selection() ? nullptr : d_recorded->next();
    if (!block) {
        return false;
    }
    d_raw.count(block->samples);
    d_plan.add(std::move(block));
    return true;
}

// The recording cannot be read any further: what was planned behind that place is dropped.
void fx_engine_impl::end_damaged(const std::string& sentence)
{
    d_recorded->end_damaged(sentence);
    d_finished.set_damaged(pmt::mp(sentence));
    d_data_ended = true;
    while (d_workers.size() > 0) {
        d_workers.take();
    }
    while (d_plan.ready()) {
        d_plan.take();
    }
}

} // namespace gr::fringe
