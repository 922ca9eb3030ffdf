/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/stack_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "blocks/live/live_start.h"
#include "blocks/ports/stream_kinds.h"
#include <algorithm>
#include <complex>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "stack";
const std::string missing = "missing", late = "late";

} // namespace

stack_impl::stack_impl(std::size_t inputs,
                       std::size_t block_samples,
                       std::size_t sample_bytes,
                       const stack_axis& axis,
                       double center_frequency)
    : gr::block("fringe_stack",
                gr::io_signature::make(static_cast<int>(inputs),
                                       static_cast<int>(inputs),
                                       static_cast<int>(sample_bytes)),
                gr::io_signature::make(
                    1, 1, item_bytes(me, inputs * block_samples * sample_bytes))),
      d_block(block_samples),
      d_under_way(inputs, block_samples, sample_bytes, axis, center_frequency),
      d_losses(*this, {missing, late}, inputs),
      d_watch("input", inputs)
{
    d_streams.send(0,
                   stream_kind::voltages,
                   {{"inputs", inputs},
                    {"block_samples", block_samples},
                    {"component", "f32"},
                    {"complex_samples", sample_bytes == sizeof(std::complex<float>)}});
    set_tag_propagation_policy(TPP_DONT);
    const std::size_t bytes = output_signature()->sizeof_stream_item(0);
    use_whole_pages(*this, 0, bytes, items_ahead(bytes));
}

std::uint64_t stack_impl::samples_missing() const { return d_losses.total(missing); }

std::uint64_t stack_impl::samples_late() const { return d_losses.total(late); }

bool stack_impl::start()
{
    begin_run();
    d_under_way.restart();
    d_watch.start(d_logger);
    return true;
}

bool stack_impl::stop()
{
    d_watch.stop();
    d_losses.tell_end(d_sent);
    return true;
}

int stack_impl::general_work(int noutput_items,
                             gr_vector_int& ninput_items,
                             gr_vector_const_void_star& input_items,
                             gr_vector_void_star& output_items)
{
    const gr_vector_int none(ninput_items.size(), 0); // samples of any block
    return guard(*this, *d_logger, none, [&] {
        arrivals from;
        for (std::size_t i = 0; i < input_items.size(); ++i) {
            const auto port = static_cast<unsigned>(i);
            from.push_back(arrived(*this, port, ninput_items[i], input_items[i]));
        }
        return stack_items(
            noutput_items, from, static_cast<std::uint8_t*>(output_items[0]));
    });
}

// Asks for samples of the inputs that hold the block up, but for none as soon as one of
// them has some: streams do not come evenly, and none shall be blocked by another.
void stack_impl::forecast(int, gr_vector_int& required)
{
    const auto& inputs = d_under_way.inputs();
    std::vector<bool> over(inputs.size());
    std::size_t end = d_block;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        over[i] = input_ended(*this, i);
        end = over[i] ? std::min(end, inputs[i].filled()) : end;
    }
    bool work = d_under_way.ended() || end == 0; // a stream is over, and nothing is left
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool there = detail()->input(i)->items_available() > 0;
        const bool wanted =
            !over[i] && (!d_under_way.began() || inputs[i].filled() < end);
        required[i] = wanted ? 1 : 0;
        work = work || (d_under_way.began() && wanted && there);
        d_watch.waiting(i, wanted && !there);
        if (there && wanted) {
            d_watch.arrived(i);
        }
    }
    if (work) {
        std::fill(required.begin(), required.end(), 0);
    }
}

// Goes on with the block under way; true when it can be sent.
bool stack_impl::advance(arrivals& from)
{
    if (!d_under_way.began()) {
        if (!d_under_way.begin(from)) {
            return false;
        }
        const stack_axis& axis = d_under_way.axis();
        d_watch.began(std::to_string(from.size()) +
                          (from.size() == 1 ? " input" : " inputs"),
                      axis.rate,
                      axis.start.iso(9) + (axis.dated ? ""
                                           : axis.by_clock
                                               ? " (no stream has an rx_time, so by this "
                                                 "computer's clock)"
                                               : " (no stream has an rx_time)"));
        if (!axis.dated && axis.by_clock) {
            d_streams.add({"time", dated_by_clock});
        }
    }
    const bool whole = d_under_way.fill(from);
    for (const std::string& warning : d_under_way.take_warnings()) {
        d_logger->warn("{:s}", warning);
    }
    return whole && d_under_way.samples() > 0;
}

void stack_impl::send(std::uint8_t* out, std::uint64_t item, std::size_t samples)
{
    d_streams.describe(*this);
    if (d_under_way.began() && d_under_way.new_time()) {
        add_item_tag(0, item, tag::rx_time(), tag::from_epoch(d_under_way.start()));
        add_item_tag(0, item, tag::rx_rate(), pmt::from_double(d_under_way.axis().rate));
        add_item_tag(
            0, item, tag::rx_freq(), pmt::from_double(d_under_way.center_frequency()));
    }
    if (samples < d_block) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(samples));
    }
    const auto lost = d_under_way.lost(samples);
    if (!lost.empty()) {
        add_item_tag(0, item, tag::invalid(), from_invalid(lost));
    }
    const auto& voltages = d_under_way.voltages(samples);
    std::copy(voltages.begin(), voltages.end(), out);
    d_under_way.next(samples);
    d_sent += samples;
    d_watch.passed(samples);
}

// Ends the data. What came before is whole, and is sent by the caller.
void stack_impl::fail(const std::string& why, std::uint64_t item)
{
    d_logger->error("{:s}", why);
    std::lock_guard<std::mutex> lock(d_error_mutex);
    d_error = why;
    d_under_way.end();
    add_item_tag(0, item, tag::damaged(), pmt::mp(why));
}

void stack_impl::count_losses()
{
    std::vector<std::uint64_t> never_came, came_late;
    for (const stacked_input& input : d_under_way.inputs()) {
        never_came.push_back(d_under_way.skipped() + input.missing());
        came_late.push_back(input.late());
    }
    d_losses.set(missing, std::move(never_came));
    d_losses.set(late, std::move(came_late));
}

int stack_impl::stack_items(int maximum, arrivals& from, std::uint8_t* out)
{
    int produced = 0;
    try {
        while (!d_under_way.ended() && produced < maximum && advance(from)) {
            send(out, nitems_written(0) + produced++, d_under_way.samples());
            out += output_signature()->sizeof_stream_item(0);
        }
    } catch (const unstackable& e) {
        const std::uint64_t item = nitems_written(0) + produced++;
        fail(e.what(), item);
        send(out, item, d_under_way.filled());
    }
    count_losses();
    for (std::size_t i = 0; i < from.size(); ++i) {
        consume(static_cast<int>(i), static_cast<int>(from[i].used));
    }
    if (d_under_way.ended() && produced == 0) {
        d_losses.tell_end(d_sent);
        return WORK_DONE;
    }
    d_losses.tell(d_sent);
    return produced;
}

stack::sptr stack::make(std::size_t inputs,
                        std::size_t block_samples,
                        double sample_rate,
                        double center_frequency,
                        const std::string& start_time,
                        bool complex_samples)
{
    require(inputs > 0 && inputs <= 65536, me, "inputs", inputs, "must be 1 ... 65536");
    require(block_samples > 0 && block_samples <= std::size_t(1) << 31,
            me,
            "block_samples",
            block_samples,
            "must be 1 ... 2^31");
    require(sample_rate >= 0 && sample_rate < 1e12,
            me,
            "sample_rate",
            sample_rate,
            "must be a rate in Hz, or 0: as the streams' rx_rate says");
    const std::optional<epoch> start = live_start(start_time);
    return gnuradio::make_block_sptr<stack_impl>(
        inputs,
        block_samples,
        complex_samples ? sizeof(std::complex<float>) : sizeof(float),
        stack_axis{start.value_or(epoch()), sample_rate, false, !start},
        center_frequency);
}

} // namespace gr::fringe
