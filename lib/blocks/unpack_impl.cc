/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/compute/kernel_counters.h"
#include "blocks/compute/per_item_block.h"
#include "blocks/items_ahead.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/raw_input.h"
#include "kernels/unpack/unpacker.h"
#include "stages/choose_target.h"
#include "stages/running_mean.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/unpack.h>
#include <gnuradio/io_signature.h>
#include <optional>

namespace gr {
namespace fringe {

namespace {

const std::string me = "unpack";

class unpack_impl : public unpack, public per_item_block
{
public:
    unpack_impl(const kernels::unpacker_params& p,
                const kernels::compute_target& backend,
                std::size_t mean_blocks);

    loss_counter::counts losses() const override { return d_raw.losses(); }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    bool compute_item(const void* in,
                      std::uint64_t item,
                      void* out,
                      std::uint64_t out_item) override;
    item_tags forward_tags(std::uint64_t item, std::uint64_t out_item);
    void remove_mean(void* out, std::size_t samples, const item_tags& tags);

    const kernels::unpacker_params d_p;
    const std::unique_ptr<kernels::unpacker> d_kernel;
    std::optional<running_mean> d_mean;
    kernel_counters d_saturated; // [input]
    raw_input d_raw;
};

unpack_impl::unpack_impl(const kernels::unpacker_params& p,
                         const kernels::compute_target& backend,
                         std::size_t mean_blocks)
    : gr::block("fringe_unpack",
                gr::io_signature::make(
                    1, 1, item_bytes(me, p.from.bytes(p.rows.size(), p.block_samples))),
                gr::io_signature::make(1,
                                       1,
                                       item_bytes(me,
                                                  p.rows.size() * p.block_samples *
                                                      p.from.sample_bytes(p.to)))),
      per_item_block(device_of(backend)),
      d_p(p),
      d_kernel(kernels::make_unpacker(backend, p)),
      d_saturated(d_on, p.rows.size()),
      d_raw(*this, p.rows.size(), [this] { return d_saturated.read(); })
{
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
    if (!d_on) {
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
    if (d_mean) {
        d_mean->clear();
    }
    d_raw.start(d_logger);
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
    d_raw.waiting(detail()->input(0)->items_available() > 0);
    required[0] = input_closed(*this) ? 0 : 1;
}

int unpack_impl::general_work(int noutput_items,
                              gr_vector_int& ninput_items,
                              gr_vector_const_void_star& input_items,
                              gr_vector_void_star& output_items)
{
    const int produced = per_item_block::general_work(
        noutput_items, ninput_items, input_items, output_items);
    if (ninput_items[0] == 0 && input_ended(*this)) {
        d_raw.tell_end();
        return WORK_DONE;
    }
    d_raw.tell();
    return produced;
}

bool unpack_impl::compute_item(const void* in,
                               std::uint64_t item,
                               void* out,
                               std::uint64_t out_item)
{
    const item_tags tags = forward_tags(item, out_item);
    d_kernel->process(in, out);
    // Lost samples are zero, and so is what lies behind the last.
    const std::size_t samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_p.block_samples), d_p.block_samples);
    d_kernel->count_saturated(out, samples, d_saturated.lock().data());
    d_raw.took(tags, samples);
    if (d_mean) {
        remove_mean(out, samples, tags);
    }
    return true;
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

// Items are one to one, so tags keep their place; those on streams become ones on inputs.
item_tags unpack_impl::forward_tags(std::uint64_t item, std::uint64_t out_item)
{
    const std::vector<tag_t> found = tags_of(*this, 0, item);
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

} // namespace

unpack::sptr unpack::make(const std::string& format,
                          std::size_t inputs,
                          std::size_t block_samples,
                          const std::string& component,
                          std::size_t files,
                          const std::vector<std::size_t>& streams,
                          const std::string& backend,
                          std::size_t mean_blocks)
{
    const auto which = choose_target(backend);
    const bool mean = mean_blocks > 0;
    require(!mean || component == "auto" || component == "f32",
            me,
            "component",
            component,
            "voltages less their mean are \"f32\"");
    return gnuradio::make_block_sptr<unpack_impl>(
        unpacker_params_of(
            format, inputs, block_samples, mean ? "f32" : component, files, streams),
        mean && which.kind != kernels::backend::generic ? kernels::compute_target()
                                                        : which,
        mean_blocks);
}

} // namespace fringe
} // namespace gr
