/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/xengine_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/compute/ring_sizes.h"
#include "blocks/ports/filter_of_spectra.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/stages/integration_message.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>
#include <stdexcept>
#include <utility>

namespace gr::fringe {

static const std::string me = "xengine";

xengine_impl::xengine_impl(const kernels::xengine_params& p,
                           std::uint64_t sum_spectra,
                           double dump_seconds,
                           std::uint64_t dump_spectra,
                           std::size_t channels_per_item,
                           const kernels::compute_target& backend)
    : gr::block(
          "fringe_xengine",
          gr::io_signature::make(1,
                                 1,
                                 item_bytes(me,
                                            p.inputs * p.channels * p.block_spectra *
                                                kernels::component_bytes(p.in) * 2)),
          gr::io_signature::make(
              1,
              1,
              item_bytes(me, channels_per_item * kernels::baselines(p.inputs) * 8))),
      summing_block(device_of(backend), false, p.channels, channels_per_item),
      d_sums(backend, p),
      d_plan(sum_spectra),
      d_backlog(d_on)
{
    set_relative_rate(1, rate_of_together(d_sums.items_together()));
    const char* component = kernels::component_name(p.in);
    d_streams.expect(0,
                     stream_kind::spectra,
                     {{"inputs", p.inputs},
                      {"channels", p.channels},
                      {"block_spectra", p.block_spectra},
                      {"component", component}});
    d_streams.send(0,
                   stream_kind::sums,
                   {{"inputs", p.inputs},
                    {"channels", p.channels},
                    {"channels_per_item", channels_per_item},
                    {"component", component}});
    if (dump_seconds != 0 || dump_spectra != 0) {
        set_integration(dump_seconds, dump_spectra);
    }
    add_integration_port(
        *this, d_logger, [this](double s, std::uint64_t m) { set_integration(s, m); });
}

// The item under way is gone with its ring, and so may be what was sent of a sum: it is sent
// once more.
bool xengine_impl::start()
{
    d_plan.drop_item();
    return summing_block::start();
}

bool xengine_impl::stop()
{
    d_backlog.end();
    return summing_block::stop();
}

// The channelizer before says in which layout its spectra come. It may be another one than in
// the last run.
void xengine_impl::opened()
{
    d_next_layout = d_in.layout();
    if (d_next_layout == d_sums.params().layout || d_sums.empty()) {
        d_sums.set_layout(d_next_layout);
    } else {
        end_sum(); // with the kernel that has it
    }
    d_sums.keep_items(
        d_in.stays()
            ? std::min<std::size_t>(d_sums.items_together(),
                                    detail()->input(0)->max_possible_items_available())
            : 1);
    d_sums.forget_filter();
    forget_integrators();
}

// Integrators that are no longer behind this block need no cuts.
void xengine_impl::forget_integrators()
{
    auto there = integrators_of(*this);
    there.insert(own_length);
    d_plan.keep(there);
}

std::optional<epoch>
xengine_impl::cut_for(long integrator, double seconds, std::uint64_t spectra)
{
    gr::thread::scoped_lock guard(d_setlock);
    return d_plan.cut_for(integrator, seconds, spectra);
}

// Reads the tags of the item that comes next. A gap ends the sum before it.
void xengine_impl::open_item(std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    const std::uint64_t block = d_sums.params().block_spectra;
    if (d_plan.begin_item(tags.start(d_plan.time()),
                          std::min(tags.spectra.value_or(block), block))) {
        end_sum();
    }
    if (!tags.gains.empty() && tags.gains != d_gains) {
        end_sum();
        d_gains = tags.gains;
    }
    if (tags.rx_freq && *tags.rx_freq != d_freq) {
        end_sum();
    }
    d_freq = tags.rx_freq.value_or(d_freq);
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
    d_item_invalid = tags.invalid;
    d_item_blanked = tags.blanked;
    if (!d_item_blanked.empty() && !d_sums.knows_filter()) {
        d_sums.set_filter(filter_of_spectra(d_streams, me, d_sums.params().channels));
    }
    d_item_lost = tags.lost;
    d_item_flagged = tags.flagged;
    d_item_here = tags.elsewhere == 0;
    if (!d_item_lost.empty() && !d_item_flagged.empty()) {
        throw std::runtime_error(
            "xengine: spectra that were lost in some channels have been searched for "
            "interference, which counts whole spectra only; connect their source to the "
            "X-engine directly");
    }
}

// What is known of a sum that begins with the next spectrum.
void xengine_impl::describe_sum()
{
    subintegration& sum = d_sums.under_way();
    if (const auto start = d_plan.next_time()) {
        sum.start = start;
        sum.rate = d_plan.time().rate();
    }
    sum.freq = d_freq;
    sum.gains = d_gains;
}

// Adds spectra of the open item up to its end or that of the sum.
void xengine_impl::add_some(const void* spectra)
{
    const bool begins = d_sums.empty();
    if (begins) {
        describe_sum();
    }
    const sum_plan::part part = d_plan.next(begins);
    d_added = true;
    d_sums.add(d_item_here ? spectra : nullptr,
               part.first,
               part.count,
               d_item_invalid,
               d_item_blanked,
               d_item_lost,
               d_item_flagged);
    if (part.ends_sum) {
        end_sum();
    }
}

void xengine_impl::end_sum() { d_sending = d_sending || !d_sums.empty(); }

void xengine_impl::tag_sum(std::uint64_t item)
{
    if (d_sums.empty()) { // it brings tags only
        describe_sum();
    }
    for (const auto& [key, value] : d_sums.under_way().tags()) {
        add_item_tag(0, item, key, value);
    }
    if (d_damaged) {
        add_item_tag(0, item, tag::damaged(), d_damaged);
        d_damaged = nullptr;
    }
}

void xengine_impl::write_sum(std::size_t first,
                             std::size_t count,
                             const gr_vector_void_star& out)
{
    d_sums.read(first, count, out[0]);
}

bool xengine_impl::sum_sent()
{
    d_sums.clear();
    d_sums.set_layout(d_next_layout);
    return static_cast<bool>(d_damaged);
}

// Where the GPU is behind, several items are taken together. Else each as it comes, so that
// dumps of streams that are slower than the GPU are not held back.
std::size_t xengine_impl::items_wanted() const
{
    return d_backlog.any() ? d_sums.keeps() : 1;
}

void xengine_impl::items_taken()
{
    d_sums.add_kept();
    if (std::exchange(d_added, false) && d_sums.keeps() > 1) {
        d_backlog.add(*this);
    }
}

bool xengine_impl::take(const void* in, std::uint64_t item)
{
    if (!d_plan.in_item()) {
        open_item(item);
        if (d_sending) { // the sum before a gap
            return false;
        }
    }
    add_some(in);
    return !d_plan.in_item();
}

void xengine_impl::flush()
{
    // The tag of damage must arrive even when there is no sum left to carry it.
    d_sending = !d_sums.empty() || d_damaged;
}

} // namespace gr::fringe
