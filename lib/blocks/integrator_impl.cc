/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_clock.h"
#include "blocks/block_checks.h"
#include "blocks/integration_message.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/sum_cutter.h"
#include "blocks/summing_block.h"
#include "kernels/integrator/integrator.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <gnuradio/fringe/integrator.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

namespace {

const std::string me = "integrator";

// A short sum as its tags describe it, in counters of the stream of spectra.
struct sum_info {
    std::uint64_t first = 0;
    std::uint64_t spectra = 0;
    std::int64_t dump = 0;
};

class integrator_impl : public integrator, public summing_block
{
public:
    integrator_impl(const kernels::integrator_params& p,
                    double seconds,
                    std::uint64_t spectra,
                    std::size_t channels_per_item,
                    kernels::backend backend);

    bool start() override;
    void set_integration(double seconds, std::uint64_t spectra) override;
    std::uint64_t dumps() const override { return d_dumps; }
    std::uint64_t spectra_lost() const override { return d_lost; }

private:
    bool take(const void* in, std::uint64_t item) override;
    void flush() override;
    bool send(const gr_vector_void_star& out, std::uint64_t item) override;
    void open_sum(std::uint64_t item);
    bool is_cut_sum(const item_tags& tags) const;
    void leave_out_rest();
    void tell_lost();
    bool new_length_begins() const;
    void check_length();
    bool ready_for_sum();
    void open_dump(std::int64_t index, std::uint64_t first);
    void close_dump(std::uint64_t end);
    void add_item(const void* sums);

    const kernels::integrator_params d_p;
    std::unique_ptr<kernels::integrator> d_kernel;
    const std::size_t d_channels_per_item;
    const std::size_t d_baselines;
    array::dump_clock d_clock;
    bool d_new_length = false; // the dump under way ends before a sum of the new length
    double d_new_seconds = 0;
    std::uint64_t d_new_spectra = 0;
    cut_sums d_cut;         // who cuts sums for this block
    bool d_was_set = false; // a length was set while nobody did

    array::timeline d_time;   // of spectra
    std::uint64_t d_next = 0; // end of the last sum
    double d_freq = 0;
    std::vector<float> d_gains;
    pmt::pmt_t d_damaged;

    bool d_sum_open = false; // the tags of the sum coming in were read
    sum_info d_sum;
    std::vector<std::uint64_t> d_sum_valid; // [baseline], empty = all
    std::vector<kernels::flagged_spectra> d_sum_flagged;
    std::size_t d_sum_channels = 0; // channels of it that have come
    //! Channels that were added before the flowgraph was changed. The rest of that sum may
    //! have been lost, or the sum is sent once more.
    std::size_t d_sum_added = 0;
    bool d_restarted = false; // no sum has come in this run, but some did before

    bool d_dump_open = false;
    bool d_dump_counted = false; // d_dump_index is one of the present length
    std::int64_t d_dump_index = 0;
    std::uint64_t d_dump_first = 0, d_dump_end = 0;
    std::uint64_t d_dump_received = 0;
    std::vector<std::uint64_t> d_dump_valid; // [baseline]

    std::size_t d_sent_channels = 0;
    std::atomic<std::uint64_t> d_dumps{0}, d_lost{0};
};

integrator_impl::integrator_impl(const kernels::integrator_params& p,
                                 double seconds,
                                 std::uint64_t spectra,
                                 std::size_t channels_per_item,
                                 kernels::backend backend)
    : gr::block(
          "fringe_integrator",
          gr::io_signature::make(
              1, 1, item_bytes(me, channels_per_item * kernels::baselines(p.inputs) * 8)),
          gr::io_signature::make2(
              1,
              2,
              item_bytes(me, channels_per_item * kernels::baselines(p.inputs) * 8),
              item_bytes(me, channels_per_item * kernels::baselines(p.inputs) * 4))),
      summing_block(device_of(backend), true), // only dumps leave a device
      d_p(p),
      d_kernel(kernels::make_integrator(backend, p)),
      d_channels_per_item(channels_per_item),
      d_baselines(kernels::baselines(p.inputs)),
      d_clock(seconds, spectra),
      d_dump_valid(d_baselines, 0)
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
    const bool later = d_new_length;
    const cut_sums cut(*this,
                       later ? d_new_seconds : d_clock.seconds(),
                       later ? d_new_spectra : d_clock.spectra());
    d_cut.found = cut.found;
    d_restarted = d_time.started();
    d_sum_added = std::max(d_sum_added, d_sum_open ? d_sum_channels : 0);
    d_sum_open = false;
    d_sent_channels = 0; // a dump that was being sent is sent once more
    return summing_block::start();
}

void integrator_impl::set_integration(double seconds, std::uint64_t spectra)
{
    array::dump_clock(seconds, spectra); // refuses what makes no sense, here and now
    const cut_sums cut(*this, seconds, spectra);
    gr::thread::scoped_lock guard(d_setlock);
    d_cut = cut;
    d_was_set = true;
    d_new_length = true;
    d_new_seconds = seconds;
    d_new_spectra = spectra;
}

// Reads the tags of the first item of a sum.
void integrator_impl::open_sum(std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    d_sum_open = true;
    d_sum_channels = 0;
    if (d_sum_added > 0 && is_cut_sum(tags)) {
        return;
    }
    leave_out_rest();
    d_sum.first = d_next;
    if (const auto start = tags.start(d_time)) {
        d_sum.first = d_time.begin(start->time, start->rate, d_next);
    }
    d_sum.spectra = tags.spectra.value_or(1);
    d_sum_valid = tags.valid;
    d_sum_flagged = tags.flagged_spectra;
    d_freq = tags.rx_freq.value_or(d_freq);
    d_gains = tags.gains.empty() ? d_gains : tags.gains;
    d_gains.resize(d_gains.empty() ? 0 : d_p.inputs, 1.0f);
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
    tell_lost();
}

// The sum that was coming in when the flowgraph was changed comes once more.
bool integrator_impl::is_cut_sum(const item_tags& tags) const
{
    return tags.rx_time && d_time.started() &&
           tags.spectra.value_or(1) == d_sum.spectra &&
           std::abs(tags.rx_time->seconds_since(d_time.at(d_sum.first))) * d_time.rate() <
               0.5;
}

// The channels that did not come of a sum have no weight.
void integrator_impl::leave_out_rest()
{
    if (d_sum_added == 0) {
        return;
    }
    const auto end = static_cast<std::uint32_t>(d_sum_added * d_p.inputs);
    const auto all = static_cast<std::uint32_t>(d_p.channels * d_p.inputs);
    for (kernels::flagged_spectra& f : d_sum_flagged) { // of those that came
        while (!f.cells.empty() && f.cells.back().first >= end) {
            f.cells.pop_back();
        }
        if (!f.cells.empty()) {
            auto& last = f.cells.back();
            last.count = std::min(last.count, end - last.first);
        }
    }
    d_sum_flagged.push_back({{{end, all - end}}, d_sum.spectra, {}});
    if (d_sum_valid.size() == d_baselines) {
        d_sum_flagged.back().valid = d_sum_valid;
    }
    d_kernel->leave_out(d_sum_flagged);
    d_logger->warn(
        "{:d} channels of {:d} spectra were lost when the flowgraph was changed",
        d_p.channels - d_sum_added,
        d_sum.spectra);
    d_sum_added = 0;
}

// What GNU Radio dropped between the last sum of one run and the first of the next.
void integrator_impl::tell_lost()
{
    if (d_restarted && d_sum.first > d_next) {
        const std::uint64_t lost = d_sum.first - d_next;
        d_logger->warn(
            "gap: {:d} spectra ({:.6f} s) are missing: GNU Radio dropped what was "
            "on its way when the flowgraph was changed",
            lost,
            static_cast<double>(lost) / d_time.rate());
    }
    d_restarted = false;
}

void integrator_impl::open_dump(std::int64_t index, std::uint64_t first)
{
    d_dump_open = true;
    d_dump_counted = true;
    d_dump_index = index;
    d_dump_first = first;
    d_dump_received = 0;
    std::fill(d_dump_valid.begin(), d_dump_valid.end(), 0);
    d_kernel->clear();
}

void integrator_impl::close_dump(std::uint64_t end)
{
    d_dump_open = false;
    d_dump_end = end;
    d_sending = true;
    d_sent_channels = 0;
}

// A new length holds from the first sum on that was cut for it.
bool integrator_impl::new_length_begins() const
{
    return d_new_length &&
           (!d_cut.from || !d_time.started() ||
            d_time.at(d_sum.first).seconds_since(*d_cut.from) * d_time.rate() > -0.5);
}

// Dumps cannot be as long as they should be when there is no rate to count spectra by, or
// when a sum begins in one dump and ends in another (by more than a spectrum, which is
// rounding).
void integrator_impl::check_length()
{
    const auto say = [this](const std::string& why) {
        return alias() + ": integration: " + std::to_string(d_clock.seconds()) +
               " s: " + why;
    };
    if (d_clock.seconds() > 0 && !d_time.started()) {
        throw stream_mismatch(say(
            "the sums carry no rx_rate, so nobody knows how many spectra that is: give "
            "the source a sample rate, or the integration in spectra"));
    }
    if (d_cut.found || d_sum.spectra < 3 ||
        d_clock.index(d_time, d_sum.first + 1) ==
            d_clock.index(d_time, d_sum.first + d_sum.spectra - 2)) {
        return;
    }
    const std::string why =
        (d_clock.seconds() > 0 ? std::to_string(d_clock.seconds()) + " s"
                               : std::to_string(d_clock.spectra()) + " spectra") +
        ": a sum of " + std::to_string(d_sum.spectra) + " spectra" +
        (d_time.started()
             ? " (" + std::to_string(static_cast<double>(d_sum.spectra) / d_time.rate()) +
                   " s)"
             : "") +
        " reaches beyond the end of a dump: give the X-engine the same integration";
    if (!d_was_set) {
        throw stream_mismatch(alias() + ": integration: " + why);
    }
    d_logger->warn("integration: {:s}", why);
    d_was_set = false; // said once
}

// Brings the dump that the open sum belongs to under way. False while another must be
// sent first: the one before it, or those that a gap has swallowed whole.
bool integrator_impl::ready_for_sum()
{
    if (d_sum.spectra == 0) { // no data: it carries news only
        return true;
    }
    const std::uint64_t middle = d_sum.first + d_sum.spectra / 2;
    if (new_length_begins()) {
        if (d_dump_open) {
            close_dump(d_next);
            return false;
        }
        d_clock.set_length(d_new_seconds, d_new_spectra, d_sum.first);
        d_new_length = false;
        d_dump_counted = false;
    }
    check_length();
    d_sum.dump = d_clock.index(d_time, middle);
    const bool gap = d_sum.first > d_next;
    if (!d_dump_open) {
        const bool lost_before = gap && d_dump_counted && d_sum.dump > d_dump_index;
        if (lost_before && d_sum.dump > d_dump_index + 1) {
            open_dump(d_dump_index + 1, d_clock.first(d_time, d_dump_index + 1));
            close_dump(
                d_clock.first(d_time, d_dump_index + 1)); // of the index just opened
            return false;
        }
        open_dump(d_sum.dump,
                  lost_before ? std::max(d_next, d_clock.first(d_time, d_sum.dump))
                              : d_sum.first);
    } else if (d_sum.dump != d_dump_index) {
        const bool ahead = d_sum.dump > d_dump_index;
        const std::uint64_t boundary =
            ahead ? d_clock.first(d_time, d_dump_index + 1) : d_next;
        close_dump(gap ? std::min(std::max(boundary, d_next), d_sum.first) : d_sum.first);
        return false;
    }
    return true;
}

void integrator_impl::add_item(const void* sums)
{
    const bool added = d_sum_channels < d_sum_added; // before the flowgraph was changed
    if (d_sum_channels == 0 && d_sum_added == 0 && d_sum.spectra > 0) {
        d_dump_received += d_sum.spectra;
        for (std::size_t b = 0; b < d_baselines; ++b) {
            d_dump_valid[b] +=
                d_sum_valid.size() == d_baselines ? d_sum_valid[b] : d_sum.spectra;
        }
        d_next = d_sum.first + d_sum.spectra;
    }
    if (d_sum.spectra > 0 && !added) {
        d_kernel->add(d_sum_channels, d_channels_per_item, sums);
    }
    d_sum_channels += d_channels_per_item;
    d_sum_open = d_sum_channels < d_p.channels;
    if (!d_sum_open) {
        d_sum_added = 0;
        if (d_sum.spectra > 0) {
            d_kernel->leave_out(d_sum_flagged);
        }
    }
    // A dump that has all it can have is sent now, not when the next sum comes.
    if (!d_sum_open && d_dump_open && !d_new_length &&
        d_next >= d_clock.first(d_time, d_dump_index + 1)) {
        close_dump(d_next);
    }
}

// Writes one item of the finished dump; false when that was the last.
bool integrator_impl::send(const gr_vector_void_star& out, std::uint64_t item)
{
    const std::uint64_t expected = std::max(d_dump_end - d_dump_first, d_dump_received);
    if (d_sent_channels == 0) {
        for (std::size_t port = 0; port < out.size(); ++port) {
            const auto add = [&](const pmt::pmt_t& key, const pmt::pmt_t& value) {
                add_item_tag(port, item, key, value);
            };
            add(tag::rx_freq(), pmt::from_double(d_freq));
            if (d_time.started()) { // else nobody knows how long a spectrum takes
                const double rate = d_time.rate();
                add(tag::rx_time(), tag::from_epoch(d_time.at(d_dump_first)));
                // A spectrum of N samples has channels of rate / N.
                add(tag::channel_width(), pmt::from_double(rate));
                add(tag::interval(), pmt::from_double(expected / rate));
                add(tag::exposure(), pmt::from_double(d_dump_received / rate));
            }
            if (d_damaged) {
                add(tag::damaged(), d_damaged);
            }
        }
    }
    d_kernel->mean(d_sent_channels,
                   d_channels_per_item,
                   d_dump_valid.data(),
                   expected,
                   d_gains.empty() ? nullptr : d_gains.data(),
                   static_cast<std::complex<float>*>(out[0]),
                   out.size() > 1 ? static_cast<float*>(out[1]) : nullptr);
    d_sent_channels += d_channels_per_item;
    if (d_sent_channels < d_p.channels) {
        return true;
    }
    d_damaged = nullptr;
    d_dumps += expected > 0;
    d_lost += expected - d_dump_received;
    return false;
}

bool integrator_impl::take(const void* in, std::uint64_t item)
{
    if (!d_sum_open) {
        open_sum(item);
    }
    if (d_sum_channels == 0 && d_sum_added == 0 && !ready_for_sum()) {
        return false;
    }
    add_item(in);
    return true;
}

void integrator_impl::flush()
{
    leave_out_rest();
    if (!d_dump_open && d_damaged) { // news that no dump is left to carry
        open_dump(d_dump_index, d_next);
    }
    if (d_dump_open) {
        close_dump(d_next);
    }
}

} // namespace

integrator::sptr integrator::make(std::size_t inputs,
                                  std::size_t channels,
                                  const std::string& component,
                                  double seconds,
                                  std::uint64_t spectra,
                                  std::size_t channels_per_item,
                                  const std::string& backend)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(component == "f32" || component == "i8",
            me,
            "component",
            component,
            "must be f32 or i8, as the X-engine's");
    kernels::integrator_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.integer = component == "i8";
    return gnuradio::make_block_sptr<integrator_impl>(
        p,
        seconds,
        spectra,
        item_channels(me, channels_per_item, inputs, channels),
        kernels::backend_from_name(backend));
}

} // namespace fringe
} // namespace gr
