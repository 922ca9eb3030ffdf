/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/integrator_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/memory_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/stages/integration_message.h"
#include "blocks/stages/sum_cutter.h"
#include "stages/choose_target.h"
#include "stages/spectrum_parts.h"
#include <gnuradio/io_signature.h>

namespace gr::fringe {

static const std::string me = "integrator";

static int bytes_of_items(const kernels::integrator_params& p,
                          std::size_t channels,
                          std::size_t value)
{
    return item_bytes(me, channels * kernels::baselines(p.inputs) * value);
}

integrator_impl::integrator_impl(const kernels::integrator_params& p,
                                 double seconds,
                                 std::uint64_t spectra,
                                 std::size_t channels_per_item,
                                 const kernels::compute_target& backend)
    : gr::block("fringe_integrator",
                gr::io_signature::make(1, 1, bytes_of_items(p, channels_per_item, 8)),
                gr::io_signature::make2(1,
                                        2,
                                        bytes_of_items(p, channels_per_item, 8),
                                        bytes_of_items(p, channels_per_item, 4))),
      // Only dumps leave a device.
      summing_block(device_of(backend), true, p.channels, channels_per_item),
      d_p(p),
      d_kernel(kernels::make_integrator(backend, p)),
      d_plan(kernels::baselines(p.inputs), seconds, spectra),
      d_sum(p.inputs, p.channels)
{
    d_streams.expect(0,
                     stream_kind::sums,
                     {{"inputs", p.inputs},
                      {"channels", p.channels},
                      {"channels_per_item", channels_per_item},
                      {"component", p.integer ? "i8" : "f32"}});
    const auto dumps = dump_fields(p.inputs, p.channels, channels_per_item);
    d_streams.send(0, stream_kind::visibilities, dumps);
    d_streams.send(1, stream_kind::weights, dumps);
    add_integration_port(
        *this, d_logger, [this](double s, std::uint64_t m) { set_integration(s, m); });
}

// The dump length is this block's, and the X-engine before it cuts its sums where dumps end.
bool integrator_impl::start()
{
    d_sums_cut = cut_sums(*this, d_plan.seconds(), d_plan.spectra()).found;
    d_restarted = d_plan.time().started();
    d_sum.interrupt();
    return summing_block::start();
}

void integrator_impl::set_integration(double seconds, std::uint64_t spectra)
{
    {
        gr::thread::scoped_lock guard(d_setlock);
        d_plan.check_length(seconds, spectra); // before anybody cuts for it
    }
    const cut_sums cut(*this, seconds, spectra);
    gr::thread::scoped_lock guard(d_setlock);
    d_sums_cut = cut.found;
    d_length_set = true;
    d_plan.set_length(seconds, spectra, cut.from);
}

// Reads the tags of the first item of a sum.
void integrator_impl::begin_sum(std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    const std::uint64_t spectra = tags.spectra.value_or(1);
    if (d_sum.interrupted() && tags.rx_time &&
        d_plan.is_last_sum(*tags.rx_time, spectra)) {
        d_sum.repeat();
        return;
    }
    leave_out_rest();
    d_sum.begin(spectra, tags.valid, tags.flagged_spectra);
    const std::uint64_t missing = d_plan.begin_sum(tags.start(d_plan.time()), spectra);
    const bool new_axis = tags.rx_time && d_plan.time().is_new_axis();
    if (d_restarted && missing > 0) {
        d_logger->warn(
            "gap: {:d} spectra ({:.6f} s) are missing: GNU Radio dropped what was "
            "on its way when the flowgraph was changed",
            missing,
            static_cast<double>(missing) / d_plan.time().rate());
    }
    if (d_restarted && (missing > 0 || new_axis)) {
        // Before this sum came the one that was under way at the stop.
        d_plan.stopped_before_sum();
        d_restarted = false;
    }
    if (new_axis) {
        d_logger->warn("a new time axis (the clock went back, or the rate is another): "
                       "the next dump begins at {:s}",
                       tags.rx_time->iso(6));
    }
    break_dumps(tags);
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
}

// No dump holds data of two frequencies or of two gains.
void integrator_impl::break_dumps(const item_tags& tags)
{
    d_sum_freq = tags.rx_freq.value_or(d_sum_freq);
    d_sum_gains = tags.gains.empty() ? d_sum_gains : tags.gains;
    d_sum_gains.resize(d_sum_gains.empty() ? 0 : d_p.inputs, 1.0f);
    if (d_sum_freq != d_freq || d_sum_gains != d_gains) {
        d_plan.break_before_sum();
    }
}

// The channels of a sum that did not come have no weight.
void integrator_impl::leave_out_rest()
{
    if (d_sum.interrupted()) {
        d_logger->warn(
            "{:d} channels of {:d} spectra were lost when the flowgraph was changed",
            d_sum.missing(),
            d_sum.spectra());
        d_kernel->leave_out(d_sum.end_without_rest());
    }
}

// False: a dump has to be sent before this sum may be added to its own.
bool integrator_impl::begin_dump()
{
    if (!d_plan.begin_length()) {
        return false;
    }
    // Sums that reach into the next dump end the data, but not where a length was just set.
    if (const std::string why = d_plan.why_unfit(d_sums_cut); !why.empty()) {
        if (!d_length_set || (d_plan.seconds() > 0 && !d_plan.time().started())) {
            throw stream_mismatch(alias() + ": integration: " + why);
        }
        d_logger->warn("integration: {:s}", why);
        d_length_set = false; // one warning is enough
    }
    if (!d_plan.begin_dump()) {
        return false;
    }
    d_freq = d_sum_freq;
    d_gains = d_sum_gains;
    if (const std::uint64_t spectra = d_plan.dropped(); spectra > 0) {
        d_kernel->clear();
        d_lost += spectra;
        d_logger->warn("the dump under way at the stop is dropped: {:d} spectra",
                       spectra);
    }
    if (const std::uint64_t spectra = d_plan.left_out(); spectra > 0) {
        d_lost += spectra;
        d_logger->warn("gap: {:d} spectra ({:.6g} s) are in no dump",
                       spectra,
                       static_cast<double>(spectra) /
                           (d_plan.time().started() ? d_plan.time().rate() : 1));
    }
    return true;
}

bool integrator_impl::take(const void* in, std::uint64_t item)
{
    if (!d_sum.under_way()) {
        begin_sum(item);
    }
    if (d_sum.untouched()) {
        d_sending = !begin_dump();
        if (d_sending) {
            return false;
        }
        d_plan.add_sum(d_sum.valid());
    }
    if (d_sum.wanted()) {
        d_kernel->add(d_sum.channel(), d_channels_per_item, in);
    }
    d_sum.take(d_channels_per_item);
    if (!d_sum.under_way()) {
        if (d_sum.spectra() > 0) {
            d_kernel->leave_out(d_sum.flagged());
        }
        // A dump that has all it can have is sent now, not when the next sum comes.
        d_sending = d_plan.finish_full_dump();
    }
    return true;
}

void integrator_impl::flush()
{
    leave_out_rest();
    d_sending = d_plan.finish_last_dump();
    if (!d_sending && d_damaged) { // no dump is left that could carry the tag
        d_plan.finish_empty_dump();
        d_sending = true;
    }
}

// The tags of the finished dump, which its first item carries.
dump_tags integrator_impl::describe_dump() const
{
    const dump_plan::dump& dump = d_plan.finished();
    dump_tags d;
    d.freq = d_freq;
    d.damaged = d_damaged;
    d.timed = dump.rate > 0; // else nobody knows how long a spectrum takes
    if (d.timed) {
        d.start = dump.start;
        d.interval = static_cast<double>(dump.expected) / dump.rate;
        d.exposure = static_cast<double>(dump.received) / dump.rate;
        d.channel_width = dump.rate; // a spectrum of N samples has channels of rate / N
    }
    return d;
}

void integrator_impl::tag_sum(std::uint64_t item)
{
    add_dump_tags(item, describe_dump());
}

void integrator_impl::write_sum(std::size_t first,
                                std::size_t count,
                                const gr_vector_void_star& out)
{
    const dump_plan::dump& dump = d_plan.finished();
    std::vector<float> gains = d_gains;
    gains.resize(d_p.inputs, 1.0f);
    for (float& gain : gains) { // spectra are counted in parts
        gain *= gain_of_parts;
    }
    d_kernel->mean(first,
                   count,
                   dump.valid.data(),
                   dump.expected * spectrum_parts,
                   gains.data(),
                   static_cast<std::complex<float>*>(out[0]),
                   out.size() > 1 ? static_cast<float*>(out[1]) : nullptr);
}

bool integrator_impl::sum_sent()
{
    const dump_plan::dump& dump = d_plan.finished();
    d_kernel->clear();
    d_damaged = nullptr;
    d_dumps += dump.expected > 0;
    d_lost += dump.expected - dump.received;
    return false;
}

integrator::sptr integrator::make(std::size_t inputs,
                                  std::size_t channels,
                                  const std::string& component,
                                  double seconds,
                                  std::uint64_t spectra,
                                  std::size_t channels_per_item,
                                  const std::string& backend)
{
    check_sums(me, inputs, channels, component);
    const auto target = choose_target(backend);
    if (target.kind != kernels::backend::cuda) {
        require_memory_for_sums(me, inputs, channels, sizeof(std::complex<double>));
    }
    return gnuradio::make_block_sptr<integrator_impl>(
        kernels::integrator_params{inputs, channels, component == "i8"},
        seconds,
        spectra,
        item_channels(me, channels_per_item, inputs, channels),
        target);
}

} // namespace gr::fringe
