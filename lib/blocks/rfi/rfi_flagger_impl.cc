/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/dumps/dump_block.h"
#include "blocks/dumps/dump_items.h"
#include "blocks/rfi/held_dumps.h"
#include "blocks/rfi/occupancy_port.h"
#include "blocks/rfi/rfi_report.h"
#include "blocks/rfi/rfi_settings.h"
#include "blocks/rfi/waiting_tags.h"
#include "kernels/base/types.h"
#include "kernels/flagging/known_flags.h"
#include <algorithm>
#include <gnuradio/fringe/rfi_flagger.h>

namespace gr::fringe {

namespace {

const std::string me = "rfi_flagger";

gr::io_signature::sptr outputs(std::size_t values, std::size_t channels)
{
    return gr::io_signature::makev(1,
                                   4,
                                   {item_bytes(me, values * 8),
                                    item_bytes(me, values * 4),
                                    item_bytes(me, values),
                                    item_bytes(me, channels * 4)});
}

class rfi_flagger_impl : public rfi_flagger, public dump_block
{
public:
    rfi_flagger_impl(const rfi_settings& s,
                     bool complex_samples,
                     std::size_t channels_per_item);

    std::map<std::string, std::uint64_t> totals() const override
    {
        return d_report.totals();
    }
    std::uint64_t dumps() const override { return d_report.dumps(); }
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    void send_again() override;
    void take(const received& d) override;
    void flush() override;
    bool one_frequency() const override { return d_masked_channels; }
    bool send(const gr_vector_void_star& out, std::uint64_t item) override;
    void add_next();
    void detect();

    const std::size_t d_channels, d_baselines, d_channels_per_item;
    kernels::rfi_detector d_detector;
    const kernels::known_flags d_known;
    const bool d_masked_channels;
    const kernels::user_mask d_mask;
    held_dumps d_held;
    bool d_next_waits = false; // behind a gap, until what is held was sent

    waiting_tags d_tags; // of items that are not in a dump yet
    std::size_t d_sent_dumps = 0, d_sent_channels = 0;
    rfi_report d_report;
};

rfi_flagger_impl::rfi_flagger_impl(const rfi_settings& s,
                                   bool complex_samples,
                                   std::size_t channels_per_item)
    : gr::block("fringe_rfi_flagger",
                dump_ports(me, channels_per_item * kernels::baselines(s.params.inputs)),
                outputs(channels_per_item * kernels::baselines(s.params.inputs),
                        channels_per_item)),
      dump_block(channels_per_item * kernels::baselines(s.params.inputs),
                 s.params.channels * kernels::baselines(s.params.inputs)),
      d_channels(s.params.channels),
      d_baselines(kernels::baselines(s.params.inputs)),
      d_channels_per_item(channels_per_item),
      d_detector(s.params),
      d_known(s.bad, s.masked_channels, s.least_left),
      d_masked_channels(!s.masked_channels.empty()),
      d_mask(s.mask),
      d_held(s.window, s.hop),
      d_report(s.params.channels)
{
    message_port_register_out(occupancy_port());
    stream_fields dumps =
        dump_fields(s.params.inputs, s.params.channels, channels_per_item);
    send_dumps(dumps);
    d_streams.send(3, stream_kind::fractions, {{"channels", s.params.channels}});
    dumps["complex_samples"] = stream_field("", complex_samples).value;
    expect_dumps(dumps);
}

// Items are counted from 0 on again. Dumps that were sent whole are not sent twice.
void rfi_flagger_impl::send_again()
{
    d_tags.restart();
    d_sent_channels = 0;
}

int rfi_flagger_impl::general_work(int noutput_items,
                                   gr_vector_int& ninput_items,
                                   gr_vector_const_void_star& input_items,
                                   gr_vector_void_star& output_items)
{
    d_tags.read_to(nitems_read(0) + static_cast<std::uint64_t>(ninput_items[0]),
                   [this](std::uint64_t first, std::uint64_t end) {
                       std::vector<tag_t> found;
                       get_tags_in_range(found, 0, first, end);
                       return found;
                   });
    return dump_block::general_work(
        noutput_items, ninput_items, input_items, output_items);
}

void rfi_flagger_impl::take(const received& d)
{
    held_dump& next = d_held.next();
    next.visibilities = d.visibilities;
    next.weights = d.weights;
    next.flags = d.flags;
    next.flags.resize(next.visibilities.size(), 0);
    next.start = d.start;
    next.interval = d.interval;
    next.freq = d.freq;
    d_known.add(next.visibilities.data(),
                next.weights.data(),
                kernels::masked_time(d_mask, d.start, d.interval),
                next.flags.data());
    next.tags = d_tags.next(d_channels / d_channels_per_item);
    if (d_held.gap_before_next()) {
        d_next_waits = true;
        detect();
        if (d_sending) {
            return;
        }
    }
    add_next();
}

void rfi_flagger_impl::add_next()
{
    if (d_next_waits) {
        d_held.begin_anew();
        d_next_waits = false;
    }
    d_held.add();
    if (d_held.full()) {
        detect();
    }
}

// Searches the new dumps, if there are any, and begins to send them.
void rfi_flagger_impl::detect()
{
    const std::size_t dumps = d_held.new_dumps();
    if (dumps == 0) {
        return;
    }
    d_detector.detect(d_held.window());
    for (std::size_t k = 0; k < dumps; ++k) {
        auto& dump = d_held.new_dump(k);
        d_known.add_left_over(dump.weights.data(), dump.flags.data());
        d_report.add(dump.flags.data(), d_baselines);
    }
    message_port_pub(occupancy_port(), d_report.message(d_held.new_dump(0).start));
    d_sending = true;
    d_sent_dumps = d_sent_channels = 0;
}

void rfi_flagger_impl::flush() { detect(); }

bool rfi_flagger_impl::send(const gr_vector_void_star& out, std::uint64_t item)
{
    const held_dump& d = d_held.new_dump(d_sent_dumps);
    for (const tag_t& t : d.tags) {
        for (std::size_t p = 0;
             t.offset * d_channels_per_item == d_sent_channels && p < out.size();
             ++p) {
            add_item_tag(static_cast<unsigned>(p), item, t.key, t.value);
        }
    }
    const std::size_t first = d_sent_channels * d_baselines;
    const std::size_t count = d_channels_per_item * d_baselines;
    dump_items::copy(d, first, count, out);
    if (out.size() > 3) {
        for (std::size_t c = 0; c < d_channels_per_item; ++c) {
            const std::uint8_t* row = &d.flags[first + c * d_baselines];
            static_cast<float*>(out[3])[c] =
                1.0f - static_cast<float>(std::count(row, row + d_baselines, 0)) /
                           static_cast<float>(d_baselines);
        }
    }
    d_sent_channels += d_channels_per_item;
    if (d_sent_channels == d_channels) {
        d_sent_channels = 0;
        ++d_sent_dumps;
    }
    if (d_sent_dumps < d_held.new_dumps()) {
        return true;
    }
    d_held.sent();
    if (d_next_waits) {
        d_sending = false;
        add_next();
        return d_sending;
    }
    return false;
}

} // namespace

rfi_flagger::sptr rfi_flagger::make(const observation& obs,
                                    std::size_t channels,
                                    bool complex_samples,
                                    std::size_t window,
                                    double false_alarm_rate,
                                    const std::vector<std::string>& detectors,
                                    const frequency_bands& mask_frequencies,
                                    const time_spans& mask_times,
                                    std::size_t hop,
                                    std::size_t background_channels,
                                    std::size_t channels_per_item,
                                    double memory,
                                    double least_left)
{
    rfi_settings s;
    s.set_observation(obs, channels);
    s.set_window(window, hop, background_channels);
    s.set_detectors(detectors, false_alarm_rate);
    s.set_least_left(least_left);
    s.set_masks(obs, complex_samples, mask_frequencies, mask_times);
    const std::size_t per_item =
        item_channels(me, channels_per_item, obs.inputs.size(), channels);
    s.check_memory(memory);
    return gnuradio::make_block_sptr<rfi_flagger_impl>(s, complex_samples, per_item);
}

} // namespace gr::fringe
