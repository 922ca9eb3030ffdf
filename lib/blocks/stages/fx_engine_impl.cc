/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/fx_engine_impl.h"
#include "blocks/base/block_checks.h"
#include "kernels/channelizer/backends.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr::fringe {

std::optional<epoch>
fx_engine_impl::cut_for(long integrator, double seconds, std::uint64_t spectra)
{
    array::dump_clock(seconds, spectra); // refuses what makes no sense, here and now
    gr::thread::scoped_lock guard(d_setlock);
    return d_plan.set_dumps(integrator, seconds, spectra);
}

// Integrators that are no longer behind this block need no cuts.
void fx_engine_impl::forget_integrators()
{
    const auto there = integrators_of(*this);
    gr::thread::scoped_lock guard(d_setlock);
    d_plan.keep_integrators(there);
}

void fx_engine_impl::set_corrections(const std::vector<std::complex<float>>& corrections,
                                     const epoch& from)
{
    kernels::check_corrections(d_settings.f, corrections);
    gr::thread::scoped_lock guard(d_setlock);
    d_plan.correct(corrections, from);
}

bool fx_engine_impl::start()
{
    begin_run();
    forget_integrators();
    d_finished.restart(); // a sum that was being sent is sent once more
    if (!d_recorded) {
        d_raw.start(d_logger);
        choose_place();
    }
    d_scheduler.set(detail());
    return true;
}

bool fx_engine_impl::stop()
{
    d_scheduler.set(nullptr);
    keep_items();
    d_raw.stop();
    return true;
}

// A task has ended: work() is called although nothing new may have come in. Called by the
// threads of the pool, also after the flowgraph was stopped.
void fx_engine_impl::wake() { d_scheduler.wake(); }

void fx_engine_impl::forecast(int, gr_vector_int& required)
{
    if (d_recorded) {
        return;
    }
    const int taken = static_cast<int>(d_taken.size());
    d_raw.waiting(detail()->input(0)->items_available() > taken);
    const bool something_to_do =
        !d_finished.empty() || d_workers.ready() || d_taken.ready();
    required[0] = something_to_do || input_closed(*this) ? 0 : taken + 1;
}

int fx_engine_impl::general_work(int noutput_items,
                                 gr_vector_int& ninput_items,
                                 gr_vector_const_void_star& input_items,
                                 gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        raw_items in{nullptr, 0};
        if (!d_recorded) {
            in = {static_cast<const std::uint8_t*>(input_items[0]),
                  static_cast<std::size_t>(ninput_items[0])};
        }
        return work_on(noutput_items, in, output_items[0]);
    });
}

// Plans what comes in, hands stretches to the workers and sends what they have finished, in
// the order of the stream. Waits only where nothing else can be done: for a worker when all
// of them have enough to do, or when the data have ended.
int fx_engine_impl::work_on(int space, raw_items in, void* out)
{
    gr::thread::scoped_lock lock(d_setlock);
    const std::size_t size = output_signature()->sizeof_stream_item(0);
    int produced = 0;
    bool over = false, waited = false;
    after_items(produced, [&] {
        // After a wait the thread that stops the flowgraph or changes a setting has a turn.
        while (!over && !(waited && d_finished.empty())) {
            consume_used(in);
            const bool full = d_workers.size() >= d_max_tasks;
            if (!d_finished.empty()) {
                if (produced == space) {
                    break;
                }
                const std::uint64_t item = nitems_written(0) + produced;
                d_finished.send_item(static_cast<char*>(out) + produced * size,
                                     [&](const pmt::pmt_t& key, const pmt::pmt_t& value) {
                                         add_item_tag(0, item, key, value);
                                     });
                ++produced;
            } else if (d_workers.ready() || (full && d_plan.ready())) {
                collect(d_workers.take());
                waited = true;
            } else if (d_plan.ready()) {
                d_workers.put(d_plan.take());
            } else if (d_taken.size() < in.count && !d_failed) {
                waited = !take_item(in);
            } else if (d_recorded && !d_data_ended && plan_recorded()) {
                // There may be a stretch now.
            } else if (d_failed || ended(in.count)) {
                if (d_workers.size() > 0) {
                    collect(d_workers.take());
                    waited = true;
                } else if (!d_data_ended) {
                    d_data_ended = true;
                    d_plan.end();
                } else if (d_failed) {
                    std::rethrow_exception(d_failed);
                } else {
                    finish_data();
                    over = d_finished.empty();
                }
            } else {
                break;
            }
        }
    });
    d_raw.tell();
    return over && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

// Takes over what a worker made of the oldest stretch.
void fx_engine_impl::collect(stretch_sums done)
{
    const auto saturated = std::move(done.saturated), clipped = std::move(done.clipped),
               blanked = std::move(done.blanked);
    const std::string damaged = done.damaged;
    d_finished.add(std::move(done));
    if (!damaged.empty()) {
        end_damaged(damaged);
    }
    std::lock_guard<std::mutex> lock(d_counts_mutex);
    for (std::size_t i = 0; i < d_settings.f.inputs; ++i) {
        d_saturated[i] += saturated[i];
        d_blanked[i] += blanked[i];
        d_clipped[i] += clipped[i];
    }
}

loss_counter::counts fx_engine_impl::counts() const
{
    std::lock_guard<std::mutex> lock(d_counts_mutex);
    loss_counter::counts found{{"saturated", d_saturated}};
    if (d_settings.pulses) {
        found["blanked"] = d_blanked;
    }
    return found;
}

// All sums were sent. What is left to say goes with a sum of no spectra.
void fx_engine_impl::finish_data()
{
    d_finished.tell_end();
    d_raw.tell_end();
    if (d_finished.damaged()) {
        d_finished.add_empty(d_blocks);
    }
}

} // namespace gr::fringe
