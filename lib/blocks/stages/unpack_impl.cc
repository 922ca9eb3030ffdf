/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/unpack_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "blocks/ports/stream_kinds.h"
#include <algorithm>
#include <functional>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

static const std::string me = "unpack";

unpack_impl::unpack_impl(const kernels::unpacker_params& p,
                         std::size_t item_samples,
                         const kernels::compute_target& backend,
                         std::size_t mean_blocks,
                         const item_turns& turns,
                         const std::shared_ptr<shared_counters>& counters)
    : gr::block("fringe_unpack",
                gr::io_signature::make(
                    1, 1, item_bytes(me, p.from.bytes(p.rows.size(), item_samples))),
                gr::io_signature::make(1,
                                       1,
                                       item_bytes(me,
                                                  p.rows.size() * p.block_samples *
                                                      p.from.sample_bytes(p.to)))),
      per_item_block(device_of(backend)),
      d_p(p),
      d_kernel(kernels::make_unpacker(backend, p)),
      d_gathered(p.block_samples / item_samples, item_samples),
      d_turns(turns),
      d_counters(counters),
      d_saturated(std::make_shared<kernel_counters>(d_on, p.rows.size())),
      d_raw(*this, p.rows.size(), [this](bool late) {
          return loss_counter::counts{{"saturated", saturated(late)}};
      })
{
    d_counters->push_back(d_saturated);
    const std::size_t inputs = p.rows.size();
    if (mean_blocks > 0) {
        d_mean.emplace(mean_blocks);
    }
    d_streams.expect(0,
                     stream_kind::raw,
                     {{"format", p.from.name},
                      {"inputs", inputs},
                      {"files", p.files},
                      {"block_samples", p.block_samples}});
    d_streams.send(0,
                   stream_kind::voltages,
                   {{"inputs", inputs},
                    {"block_samples", p.block_samples},
                    {"component", kernels::component_name(p.to)},
                    {"complex_samples", p.from.is_complex},
                    {"sample_bits", p.from.bits / (p.from.is_complex ? 2 : 1)}});
    if (d_on) {
        d_in.gather(p.block_samples / item_samples, needed_bytes_of_block().pieces);
    } else {
        // GNU Radio makes the ring before a block twice as long as what it seems to take at
        // once. Behind other sources than ours it would hold two items, one of which stays
        // empty, so that the source and this block would take turns.
        const auto bytes =
            static_cast<std::size_t>(input_signature()->sizeof_stream_item(0));
        set_relative_rate(1, std::max<std::size_t>(items_between_stages(bytes) / 2, 1));
    }
}

bool unpack_impl::start()
{
    per_item_block::start();
    d_gathered.clear();
    d_block = 0;
    if (d_mean) {
        d_mean->clear();
    }
    if (d_turns.number == 0) { // one tells for all
        d_raw.start(d_logger);
    }
    return true;
}

bool unpack_impl::stop()
{
    per_item_block::stop();
    d_raw.stop();
    return true;
}

void unpack_impl::forecast(int, gr_vector_int& required)
{
    if (d_turns.number == 0) {
        d_raw.waiting(detail()->input(0)->items_available() > 0);
    }
    required[0] = input_closed(*this) ? 0 : 1;
}

int unpack_impl::general_work(int noutput_items,
                              gr_vector_int& ninput_items,
                              gr_vector_const_void_star& input_items,
                              gr_vector_void_star& output_items)
{
    const int produced = per_item_block::general_work(
        noutput_items, ninput_items, input_items, output_items);
    if (produced <= 0 && ninput_items[0] == 0 && input_ended(*this)) {
        d_raw.tell_end();
        return WORK_DONE;
    }
    if (d_turns.number == 0) {
        d_raw.tell();
    }
    return produced;
}

std::vector<std::uint64_t> unpack_impl::saturated(bool late) const
{
    std::vector<std::uint64_t> all(d_p.rows.size());
    for (const auto& counters : *d_counters) {
        const auto some = late ? counters->read_late() : counters->read();
        std::transform(all.begin(),
                       all.end(),
                       some.begin(),
                       all.begin(),
                       std::plus<std::uint64_t>());
    }
    return all;
}

// The last samples of every file's part of a block, where they lie one after the other in
// time; of every stream's where those do.
needed_bytes unpack_impl::needed_bytes_of_block() const
{
    const std::size_t samples = d_turns.samples_needed(d_turns.until_own(d_block));
    const bool stream_major = d_p.from.code == kernels::sample_code::stream_major;
    const std::size_t rows = stream_major ? d_p.rows.size() : d_p.files;
    const std::size_t needless =
        stream_major && samples > 0 ? 0 : d_p.block_samples - samples;
    return {rows, d_p.from.bytes(d_p.rows.size() / rows, needless)};
}

// Gathers a block. Tags are read while their items are in the ring.
bool unpack_impl::next_item(const void* in, std::size_t available)
{
    while (!d_gathered.whole() && d_in.ready(available)) {
        const std::uint64_t item = nitems_read(0) + d_in.in_flight() + d_in.gathered();
        if (d_gathered.add(tags_of(*this, 0, item))) {
            d_in.add_item(in, needed_bytes_of_block());
        }
    }
    return d_gathered.whole();
}

bool unpack_impl::compute_item(const void* in,
                               std::uint64_t,
                               void* out,
                               std::uint64_t out_item)
{
    unpack_block(in, out, out_item);
    return true;
}

// Blocks are cut short where the data end without saying so.
bool unpack_impl::compute_last_item(void* out, std::uint64_t out_item)
{
    if (d_gathered.empty()) {
        return false;
    }
    unpack_block(d_in.item(nullptr), out, out_item);
    d_in.done();
    return true;
}

void unpack_impl::unpack_block(const void* raw, void* out, std::uint64_t out_item)
{
    const item_tags tags = forward_tags(out_item);
    const std::uint64_t until_own = d_turns.until_own(d_block++);
    if (d_turns.samples_needed(until_own) > 0) {
        d_kernel->process(raw, out);
    }
    // Lost samples are zero, and so is what lies behind the last.
    const std::size_t samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_p.block_samples), d_p.block_samples);
    if (until_own == 0) {
        d_kernel->count_saturated(out, samples, d_saturated->lock().data());
    } else {
        add_item_tag(0, out_item, tag::elsewhere(), pmt::from_uint64(until_own));
    }
    if (d_turns.number == 0) {
        d_raw.took(tags, samples);
    }
    if (d_mean) {
        remove_mean(out, samples, tags);
    }
}

void unpack_impl::remove_mean(void* out, std::size_t samples, const item_tags& tags)
{
    const voltage_rows rows{static_cast<float*>(out),
                            d_p.rows.size(),
                            d_p.from.is_complex ? 2u : 1u,
                            d_p.block_samples,
                            samples};
    d_mean->add(std::make_shared<sample_sums>(
        sums_of(rows, runs_of_inputs(tags.invalid, d_p.rows))));
    d_mean->remove(rows);
}

// Tags of an item become those of its block; those on streams become ones on inputs.
item_tags unpack_impl::forward_tags(std::uint64_t out_item)
{
    const std::vector<tag_t> found = d_gathered.take();
    for (const tag_t& t : found) {
        if (!pmt::eq(t.key, tag::invalid()) && !pmt::eq(t.key, tag::stream())) {
            add_item_tag(0, out_item, t.key, t.value);
        }
    }
    const item_tags tags(found);
    const auto runs = runs_of_inputs(tags.invalid, d_p.rows);
    if (!runs.empty()) {
        add_item_tag(0, out_item, tag::invalid(), from_invalid(runs));
    }
    return tags;
}

} // namespace gr::fringe
