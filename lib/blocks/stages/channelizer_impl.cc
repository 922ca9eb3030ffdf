/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/channelizer_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/rfi/occupancy_port.h"
#include "blocks/stages/channelizer_items.h"
#include "blocks/stages/corrections_message.h"
#include "kernels/channelizer/backends.h"
#include <algorithm>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

static const std::string me = "channelizer";

channelizer_impl::channelizer_impl(const kernels::channelizer_params& p,
                                   const kernels::compute_target& backend,
                                   const tracking::sptr& towards,
                                   const std::optional<kurtosis_search>& flag,
                                   const input_part& part)
    : gr::block("fringe_channelizer",
                gr::io_signature::make(1, 1, item_bytes(me, voltage_bytes(p))),
                gr::io_signature::make(
                    1,
                    1,
                    item_bytes(
                        me, spectra_bytes(params_of_inputs(p, part.first, part.count))))),
      per_item_block(device_of(backend)),
      d_p(p),
      d_part(part),
      d_bank(backend, params_of_inputs(p, part.first, part.count)),
      d_plan(p, towards),
      d_zeros(d_on, static_cast<std::size_t>(input_signature()->sizeof_stream_item(0))),
      d_saturated(d_on, part.count),
      d_ignored(d_on, part.count)
{
    const bool whole = part.count == p.inputs;
    d_streams.expect(0, stream_kind::voltages, voltage_fields(p));
    auto sent = spectra_fields(d_bank.params());
    if (!whole) {
        sent["first_input"] = std::to_string(part.first);
    }
    d_streams.send(
        0, whole ? stream_kind::spectra : stream_kind::spectra_of_some_inputs, sent);
    require(whole || !flag, me, "flag", "on", "needs all inputs: leave part at (0, 0)");
    d_freq = towards ? towards->frequency() : 0;
    if (flag) {
        require(!d_on,
                me,
                "flag",
                "on a GPU",
                "put a kurtosis_flagger behind the channelizer there");
        d_detector.emplace(*flag, backend, p);
        message_port_register_out(occupancy_port());
    }
    add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
        set_corrections(c.factors, c.from);
    });
}

// The tags that announce the stream may have been dropped with their item: they are sent again.
bool channelizer_impl::start()
{
    d_new_time = d_first_item = true;
    if (d_detector) {
        d_detector->announce();
    }
    return per_item_block::start();
}

// The X-engine behind says which layout it wants, once the flowgraph is there.
void channelizer_impl::opened()
{
    d_bank.set_layout(d_out[0].layout());
    if (d_detector) {
        d_detector->set_layout(d_out[0].layout());
    }
}

void channelizer_impl::set_corrections(
    const std::vector<std::complex<float>>& corrections, const epoch& from)
{
    kernels::check_corrections(d_p, corrections);
    d_plan.correct(corrections, from);
}

// The start, or a gap when the item does not follow on the one before. False: it does.
bool channelizer_impl::begin(const item_tags& tags)
{
    const auto start = tags.start(d_plan.time());
    if (tags.rx_freq && *tags.rx_freq != d_freq) {
        if (d_freq != 0) {
            d_plan.end(); // no spectrum is made of samples of two frequencies
        }
        d_freq = *tags.rx_freq;
    }
    const epoch window = d_plan.start_of(d_window);
    const double rate = d_plan.rate();
    const auto missing = d_plan.begin(start);
    if (!missing) {
        return false;
    }
    if (*missing > 0) {
        d_logger->warn("gap: {:d} samples of every input are missing", *missing);
    }
    decide_on_window(window, rate); // no window reaches across a gap
    if (d_detector) {
        d_detector->begin();
    }
    d_bank.kernel().reset();
    d_new_time = true;
    return true;
}

// Whole rows of the item.
std::size_t channelizer_impl::rows_of(const item_tags& tags) const
{
    const std::size_t whole = d_bank.params().block_spectra * d_bank.params().points();
    return std::min<std::size_t>(tags.samples.value_or(whole), whole) /
           d_bank.params().points();
}

// Ends the window of the interference search.
void channelizer_impl::decide_on_window(const epoch& start, double rate)
{
    if (d_detector) {
        d_detector->end_window(start, rate);
        d_window = d_plan.next_window();
        if (const auto message = d_detector->message(false)) {
            message_port_pub(occupancy_port(), message);
        }
    }
}

bool channelizer_impl::compute_item(const void* in,
                                    std::uint64_t item,
                                    void* out,
                                    std::uint64_t out_item)
{
    if (d_detector && d_detector->complete()) {
        decide_on_window(d_plan.start_of(d_window), d_plan.rate());
    }
    const item_tags tags(tags_of(*this, 0, item));
    const bool follows = !begin(tags);
    if (follows && d_short_item && tags.elsewhere > 0) {
        throw std::runtime_error("channelizer: a short block in the middle of the data, "
                                 "which several GPUs cannot take in turn");
    }
    d_elsewhere = tags.elsewhere;
    const std::size_t rows = rows_of(tags);
    d_short_item = rows < d_p.block_spectra;
    const bool made =
        make_spectra(d_plan.plan(rows, tags.invalid), tags, in, out, out_item);
    if (tags.damaged) { // no samples follow on these
        d_plan.end();
    }
    return made;
}

bool channelizer_impl::make_spectra(const filter_bank_plan::order& order,
                                    const item_tags& tags,
                                    const void* in,
                                    void* out,
                                    std::uint64_t out_item)
{
    if (order.spectra == 0 && !tags.damaged) {
        run_bank(order, in, out);
        return false;
    }
    if (d_detector) {
        if (const auto decision = d_detector->decision()) {
            add_item_tag(0, out_item, tag::decision(), decision);
        }
    }
    tag_output(out_item, tags, order);
    run_bank(order, in, out);
    if (d_detector) {
        d_detector->add(out, order.spectra, order.lost);
    }
    return true;
}

// The spectra of the inputs that are computed here.
void channelizer_impl::run_bank(const filter_bank_plan::order& order,
                                const void* in,
                                void* out)
{
    const std::size_t row = voltage_bytes(d_p) / d_p.inputs;
    const auto part = order.of_inputs(d_part.first, d_part.count);
    const char* const from = static_cast<const char*>(in) + d_part.first * row;
    if (d_elsewhere > 0) {
        d_bank.pass_over(part, d_elsewhere, d_freq, from, out, d_ignored.lock().data());
        return;
    }
    d_bank.make_spectra(part, d_freq, from, out, d_saturated.lock().data());
}

// What the filter still holds, then the last window's decision, which goes with an item
// without spectra.
bool channelizer_impl::compute_last_item(void* out, std::uint64_t out_item)
{
    while (auto order = d_plan.plan_zeros()) {
        if (make_spectra(*order, item_tags({}), d_zeros.data(), out, out_item)) {
            return true;
        }
    }
    if (!d_detector) {
        return false;
    }
    decide_on_window(d_plan.start_of(d_window), d_plan.rate());
    if (const auto message = d_detector->message(true)) {
        message_port_pub(occupancy_port(), message);
    }
    const auto decision = d_first_item ? nullptr : d_detector->decision();
    if (!decision) {
        return false;
    }
    add_item_tag(0, out_item, tag::decision(), decision);
    add_item_tag(0, out_item, tag::spectra(), pmt::from_uint64(0));
    return true;
}

} // namespace gr::fringe
