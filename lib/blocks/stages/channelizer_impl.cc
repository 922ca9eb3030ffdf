/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/channelizer_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
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
    d_freq = towards ? towards->frequency() : 0;
    add_corrections_port(*this, d_logger, [this](planned_corrections::change c) {
        set_corrections(c.factors, c.from);
    });
}

// The tags that announce the stream may have been dropped with their item: they are sent again.
bool channelizer_impl::start()
{
    d_new_time = d_first_item = true;
    return per_item_block::start();
}

// The X-engine behind says which layout it wants, once the flowgraph is there.
void channelizer_impl::opened() { d_bank.set_layout(d_out[0].layout()); }

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
    const auto missing = d_plan.begin(start);
    if (!missing) {
        return false;
    }
    if (*missing > 0) {
        d_logger->warn("gap: {:d} samples of every input are missing", *missing);
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

bool channelizer_impl::compute_item(const void* in,
                                    std::uint64_t item,
                                    void* out,
                                    std::uint64_t out_item)
{
    const item_tags tags(tags_of(*this, 0, item));
    const bool follows = !begin(tags);
    if (follows && d_short_item && tags.elsewhere > 0) {
        throw std::runtime_error("channelizer: a short block in the middle of the data, "
                                 "which several GPUs cannot take in turn");
    }
    d_elsewhere = tags.elsewhere;
    const std::size_t rows = rows_of(tags);
    d_short_item = rows < d_p.block_spectra;
    const bool made = make_spectra(
        d_plan.plan(rows, tags.invalid, tags.blanked), tags, in, out, out_item);
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
    tag_output(out_item, tags, order);
    run_bank(order, in, out);
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

// What the filter still holds.
bool channelizer_impl::compute_last_item(void* out, std::uint64_t out_item)
{
    while (auto order = d_plan.plan_zeros()) {
        if (make_spectra(*order, item_tags({}), d_zeros.data(), out, out_item)) {
            return true;
        }
    }
    return false;
}

} // namespace gr::fringe
