/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/pulse_blanker_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "blocks/ports/stream_kinds.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <gnuradio/io_signature.h>
#include <utility>

namespace gr::fringe {

namespace {

const std::string me = "pulse_blanker";
const std::string blanked_cause = "blanked";

int bytes_of_voltages(const kernels::blanking_params& p)
{
    return item_bytes(me,
                      p.inputs * p.block_samples * (p.complex_samples ? 2 : 1) *
                          kernels::component_bytes(p.in));
}

} // namespace

pulse_blanker_impl::pulse_blanker_impl(const kernels::blanking_params& p,
                                       const pulse_search& search,
                                       const kernels::compute_target& backend)
    : gr::block("fringe_pulse_blanker",
                gr::io_signature::make(1, 1, bytes_of_voltages(p)),
                gr::io_signature::make(1, 1, bytes_of_voltages(p))),
      compute_block(device_of(backend)),
      d_p(p),
      d_windows(backend, p, search),
      d_losses(*this, {blanked_cause}, p.inputs)
{
    set_tag_propagation_policy(TPP_DONT); // items come later than their tags
    const auto bytes =
        static_cast<std::size_t>(output_signature()->sizeof_stream_item(0));
    use_whole_pages(*this, 0, bytes, d_on ? 0 : items_between_stages(bytes));
    const stream_fields voltages{{"inputs", p.inputs},
                                 {"block_samples", p.block_samples},
                                 {"component", kernels::component_name(p.in)},
                                 {"complex_samples", p.complex_samples}};
    d_streams.expect(0, stream_kind::voltages, voltages);
    d_streams.send(0, stream_kind::voltages, voltages);
}

// The rings are empty, and what was held is gone.
bool pulse_blanker_impl::start()
{
    d_held.clear();
    d_windows.begin(0);
    d_begins = true;
    return compute_block::start();
}

bool pulse_blanker_impl::stop()
{
    d_losses.tell_end(d_sent);
    return compute_block::stop();
}

void pulse_blanker_impl::forecast(int, gr_vector_int& required)
{
    required[0] = d_windows.ready() || input_closed(*this) ? 0 : 1;
}

int pulse_blanker_impl::general_work(int noutput_items,
                                     gr_vector_int& ninput_items,
                                     gr_vector_const_void_star& input_items,
                                     gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return blank_items(
            noutput_items, ninput_items[0], input_items[0], output_items[0]);
    });
}

// Unpack, or another block before this one, says how many bits the samples have.
void pulse_blanker_impl::opened()
{
    const std::string bits = d_streams.received("sample_bits");
    if (!bits.empty()) {
        check_pulse_bits(me, static_cast<unsigned>(std::stoul(bits)));
    }
}

int pulse_blanker_impl::blank_items(int space, int available, const void* in, void* out)
{
    if (available > 0) {
        open_ports();
    }
    const auto size = static_cast<std::size_t>(output_signature()->sizeof_stream_item(0));
    std::size_t taken = 0;
    int produced = 0;
    bool over = false;
    after_items(produced, [&] {
        while (produced < space) {
            if (d_windows.ready()) {
                send_item(static_cast<char*>(out) + produced * size,
                          nitems_written(0) + produced);
                ++produced;
            } else if (taken < d_max_items && d_in.ready(available)) {
                taken += take_item(in, nitems_read(0) + d_in.in_flight());
            } else if (available == 0 && input_ended(*this)) {
                if (d_held.empty()) {
                    over = produced == 0;
                    break;
                }
                d_windows.end();
                d_begins = true;
            } else {
                break;
            }
        }
    });
    d_out[0].wait();
    consume_each(d_in.release(taken == 0));
    if (over) {
        d_losses.tell_end(d_sent);
        return WORK_DONE;
    }
    d_losses.tell(d_sent);
    return produced;
}

// The item does not follow on the one before, or is of another frequency.
bool pulse_blanker_impl::starts_anew(const item_tags& tags)
{
    if (tags.rx_freq && d_freq != 0 && *tags.rx_freq != d_freq) {
        return true;
    }
    const auto start = tags.start(d_time);
    return start && !d_time.continues(start->time, start->rate, d_next);
}

// False: what is held has to be sent before this item is taken.
bool pulse_blanker_impl::take_item(const void* in, std::uint64_t item)
{
    std::vector<tag_t> found = tags_of(*this, 0, item);
    const item_tags tags(found);
    d_begins = d_begins || starts_anew(tags);
    if (d_begins && !d_held.empty()) {
        d_windows.end();
        return false;
    }
    if (std::exchange(d_begins, false)) {
        d_windows.begin(0);
    }
    if (const auto start = tags.start(d_time)) {
        d_next = d_time.begin(start->time, start->rate, d_next);
    }
    d_freq = tags.rx_freq.value_or(d_freq);
    const std::size_t samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_p.block_samples), d_p.block_samples);
    const void* const from = d_in.item(in);
    {
        const auto measured = d_times.measure();
        d_windows.add(from, samples, tags.invalid);
    }
    d_in.done();
    d_held.push_back(std::move(found));
    d_next += samples;
    d_begins = static_cast<bool>(tags.damaged); // no samples follow on these
    return true;
}

void pulse_blanker_impl::send_item(void* host, std::uint64_t item)
{
    for (const tag_t& t : d_held.front()) {
        if (!pmt::eq(t.key, tag::stream())) { // the output has its own
            add_item_tag(0, item, t.key, t.value, t.srcid);
        }
    }
    d_sent += d_windows.next_samples();
    const auto blanked = d_windows.take(d_out[0].item(host));
    d_out[0].done(host);
    d_held.pop_front();
    if (blanked.empty()) {
        return;
    }
    add_item_tag(0, item, tag::blanked(), from_invalid(blanked));
    for (const invalid_run& r : blanked) {
        d_losses.add(blanked_cause, r.input, r.count);
    }
}

pulse_blanker::sptr pulse_blanker::make(std::size_t inputs,
                                        std::size_t block_samples,
                                        const std::string& component,
                                        bool complex_samples,
                                        double false_alarm,
                                        std::size_t guard,
                                        std::size_t window,
                                        const std::vector<std::size_t>& bad_inputs,
                                        const std::string& backend)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(block_samples > 0, me, "block_samples", block_samples, "must be at least 1");
    const pulse_search search{false_alarm, guard, window, bad_inputs};
    kernels::blanking_params p;
    p.inputs = inputs;
    p.in = kernels::component_from_name(component);
    p.complex_samples = complex_samples;
    p.block_samples = block_samples;
    check_pulse_search(me, search, inputs);
    return gnuradio::make_block_sptr<pulse_blanker_impl>(
        p, search, choose_target(backend));
}

} // namespace gr::fringe
