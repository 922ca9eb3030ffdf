/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/data_watch.h"
#include "blocks/device_counters.h"
#include "blocks/items_ahead.h"
#include "blocks/loss_counter.h"
#include "blocks/map_block.h"
#include "blocks/stream_tags.h"
#include "blocks/upstream.h"
#include "io/recording.h"
#include "kernels/unpack/unpacker.h"
#include <algorithm>
#include <chrono>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/unpack.h>
#include <gnuradio/io_signature.h>
#include <numeric>

namespace gr {
namespace fringe {

namespace {

const std::string me = "unpack";

kernels::component chosen_component(const kernels::encoding& e, const std::string& name)
{
    const auto c = name == "auto" ? e.natural : kernels::component_from_name(name);
    require(e.unpack[0][static_cast<int>(c)] != nullptr,
            me,
            "component",
            name,
            "cannot hold the values of format " + e.name + "; \"" +
                kernels::component_name(e.natural) + "\" or wider can");
    return c;
}

// [place in the recording] -> input, from [input] -> place.
std::vector<std::size_t> rows_of(const std::vector<std::size_t>& streams,
                                 std::size_t inputs)
{
    std::vector<std::size_t> rows(inputs);
    if (streams.empty()) {
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }
    require(streams.size() == inputs,
            me,
            "streams",
            std::to_string(streams.size()) + " values",
            "give one for each of the " + std::to_string(inputs) + " inputs, or none");
    std::fill(rows.begin(), rows.end(), inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        require(streams[i] < inputs && rows[streams[i]] == inputs,
                me,
                "streams",
                streams[i],
                "every place 0 ... " + std::to_string(inputs - 1) + " must be used once");
        rows[streams[i]] = i;
    }
    return rows;
}

class unpack_impl : public unpack, public map_block
{
public:
    unpack_impl(const kernels::unpacker_params& p, kernels::backend backend);

    loss_counter::counts losses() const override;

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    bool
    map(const void* in, std::uint64_t item, void* out, std::uint64_t out_item) override;
    item_tags forward_tags(std::uint64_t item, std::uint64_t out_item);
    void greet(const item_tags& tags);
    void look_at_saturation();

    const kernels::unpacker_params d_p;
    const std::unique_ptr<kernels::unpacker> d_kernel;
    device_counters d_saturated; // [input]
    std::chrono::steady_clock::time_point d_looked;
    loss_counter d_losses;
    data_watch d_watch;
    bool d_watched = false;    // by the source, which says more
    std::uint64_t d_taken = 0; // samples of every input
};

unpack_impl::unpack_impl(const kernels::unpacker_params& p, kernels::backend backend)
    : gr::block("fringe_unpack",
                gr::io_signature::make(
                    1, 1, item_bytes(me, p.from.bytes(p.rows.size(), p.block_samples))),
                gr::io_signature::make(1,
                                       1,
                                       item_bytes(me,
                                                  p.rows.size() * p.block_samples *
                                                      p.from.sample_bytes(p.to)))),
      map_block(device_or_cores_of(backend)),
      d_p(p),
      d_kernel(d_on && d_on->on_host() ? d_on->make_unpacker(p)
                                       : kernels::make_unpacker(backend, p)),
      d_saturated(d_on, p.rows.size()),
      d_losses(*this, {"saturated"}, p.rows.size()),
      d_watch("", 1)
{
    if (d_on && d_on->on_host()) {
        // GNU Radio makes the ring before a block twice as long as what it seems to take at
        // once. Of other sources than ours it would hold two items, too few for the cores.
        const auto bytes =
            static_cast<std::size_t>(input_signature()->sizeof_stream_item(0));
        set_relative_rate(1, std::max<std::size_t>(items_ahead(bytes) / 2, 1));
    }
}

bool unpack_impl::start()
{
    const auto before = upstream(*this);
    d_watched = std::any_of(before.begin(), before.end(), [](const gr::block_sptr& b) {
        return dynamic_cast<const watched_source*>(b.get()) != nullptr;
    });
    d_taken = 0;
    if (!d_watched) {
        d_watch.start(d_logger);
    }
    return true;
}

bool unpack_impl::stop()
{
    d_watch.stop();
    map_block::stop();
    look_at_saturation();
    d_losses.tell_end(d_taken);
    return true;
}

void unpack_impl::forecast(int, gr_vector_int& required)
{
    const bool there = detail()->input(0)->items_available() > 0;
    d_watch.waiting(0, !there);
    if (there) {
        d_watch.arrived(0);
    }
    required[0] = input_closed(*this) ? 0 : 1;
}

int unpack_impl::general_work(int noutput_items,
                              gr_vector_int& ninput_items,
                              gr_vector_const_void_star& input_items,
                              gr_vector_void_star& output_items)
{
    const int produced =
        map_block::general_work(noutput_items, ninput_items, input_items, output_items);
    if (ninput_items[0] == 0 && input_ended(*this)) {
        look_at_saturation();
        d_losses.tell_end(d_taken);
        return WORK_DONE;
    }
    // A copy of the counts, and on a device a pause: not for every item.
    const auto now = std::chrono::steady_clock::now();
    if (now - d_looked >= std::chrono::seconds(1)) {
        d_losses.set("saturated", d_saturated.so_far());
        d_looked = now;
    }
    d_losses.tell(d_taken);
    return produced;
}

bool unpack_impl::map(const void* in,
                      std::uint64_t item,
                      void* out,
                      std::uint64_t out_item)
{
    const item_tags tags = forward_tags(item, out_item);
    if (d_taken == 0 && !d_watched) {
        greet(tags);
    }
    d_kernel->process(in, out);
    // Lost samples are zero, and so is what lies behind the last.
    const std::size_t samples = std::min<std::uint64_t>(
        tags.samples.value_or(d_p.block_samples), d_p.block_samples);
    d_kernel->count_saturated(out, samples, d_saturated.lock().data());
    d_taken += samples;
    d_watch.passed(samples);
    return true;
}

// Items are one to one, so tags keep their place; those on streams become ones on inputs.
item_tags unpack_impl::forward_tags(std::uint64_t item, std::uint64_t out_item)
{
    std::vector<tag_t> found;
    get_tags_in_range(found, 0, item, item + 1);
    for (const tag_t& t : found) {
        if (!pmt::eq(t.key, tag::invalid())) {
            add_item_tag(0, out_item, t.key, t.value);
        }
    }
    const item_tags tags(found);
    auto runs = tags.invalid;
    for (invalid_run& r : runs) {
        r.input = r.input < d_p.rows.size() ? d_p.rows[r.input] : d_p.rows.size();
    }
    if (!runs.empty()) {
        add_item_tag(0, out_item, tag::invalid(), from_invalid(runs));
    }
    return tags;
}

void unpack_impl::greet(const item_tags& tags)
{
    const std::size_t inputs = d_p.rows.size();
    d_watch.began(std::to_string(inputs) + (inputs == 1 ? " input" : " inputs"),
                  tags.rx_rate.value_or(0),
                  tags.rx_time.value_or(epoch()).iso(6));
}

void unpack_impl::look_at_saturation() { d_losses.set("saturated", d_saturated.read()); }

loss_counter::counts unpack_impl::losses() const
{
    auto counts = d_losses.by_cause();
    counts["saturated"] = d_saturated.read();
    return counts;
}

} // namespace

unpack::sptr unpack::make(const std::string& format,
                          std::size_t inputs,
                          std::size_t block_samples,
                          const std::string& component,
                          std::size_t files,
                          const std::vector<std::size_t>& streams,
                          const std::string& backend)
{
    const kernels::encoding& e = io::encoding_by_name(format);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(block_samples > 0 && block_samples * e.bits % 8 == 0,
            me,
            "block_samples",
            block_samples,
            "must make whole bytes of samples of " + std::to_string(e.bits) + " bits");
    require(files > 0 && inputs % files == 0,
            me,
            "files",
            files,
            "must divide the " + std::to_string(inputs) + " inputs");
    kernels::unpacker_params p;
    p.from = e;
    p.to = chosen_component(e, component);
    p.block_samples = block_samples;
    p.files = files;
    p.rows = rows_of(streams, inputs);
    return gnuradio::make_block_sptr<unpack_impl>(p, kernels::backend_from_name(backend));
}

} // namespace fringe
} // namespace gr
