/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_clock.h"
#include "blocks/base/block_checks.h"
#include "blocks/dumps/dump_block.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/reducing/dump_bins.h"
#include <algorithm>
#include <atomic>
#include <gnuradio/fringe/dump_binner.h>

namespace gr::fringe {

namespace {

const std::string me = "dump_binner";

// Visibilities of every bin, then weights of every bin.
gr::io_signature::sptr bin_ports(std::size_t bins, std::size_t item_values)
{
    std::vector<int> sizes(2 * bins, item_bytes(me, 4 * item_values));
    std::fill_n(sizes.begin(), bins, item_bytes(me, 8 * item_values));
    const int n = static_cast<int>(bins);
    return gr::io_signature::makev(n, 2 * n, sizes);
}

class dump_binner_impl : public dump_binner, public dump_block
{
public:
    dump_binner_impl(const dump_axes& axes,
                     const pulse_phase& phase,
                     const std::vector<kernels::phase_gate>& gates,
                     double seconds,
                     double dispersion,
                     std::size_t per_item)
        : gr::block("fringe_dump_binner",
                    dump_ports(me, per_item * axes.baselines.size()),
                    bin_ports(gates.size(), per_item * axes.baselines.size())),
          dump_block(per_item * axes.baselines.size(),
                     axes.frequencies.size() * axes.baselines.size()),
          d_phase(phase),
          d_gates(gates),
          d_kernel(axes, phase, gates, dispersion),
          d_clock(seconds, 0),
          d_item_values(per_item * axes.baselines.size())
    {
        const stream_fields dumps = dump_fields(axes, per_item);
        expect_dumps(dumps);
        for (std::size_t b = 0; b < gates.size(); ++b) {
            d_streams.send(b, stream_kind::visibilities, dumps);
            d_streams.send(gates.size() + b, stream_kind::weights, dumps);
        }
        d_finished.resize(gates.size());
        for (finished& f : d_finished) {
            f.visibilities.resize(axes.frequencies.size() * axes.baselines.size());
            f.weights.resize(f.visibilities.size());
        }
    }

    std::size_t bins() const override { return d_gates.size(); }
    std::uint64_t dumps() const override { return d_dumps; }

private:
    struct finished : kernels::dump_cells, dump_tags {
    };

    void send_again() override { d_at = 0; }
    void take(const received& d) override;
    void flush() override;
    bool one_frequency() const override { return true; }
    bool send(const gr_vector_void_star& out, std::uint64_t item) override;
    void close();
    void warn_of_long_dumps(const received& d);

    const pulse_phase d_phase;
    const std::vector<kernels::phase_gate> d_gates;
    kernels::dump_bins d_kernel;
    array::dump_clock d_clock;
    const std::size_t d_item_values;

    bool d_warned = false;
    bool d_open = false; // a dump is under way
    std::int64_t d_index = 0;
    epoch d_start, d_end;
    dump_tags d_tags; // those of the dumps that came last

    std::vector<finished> d_finished; // [bin], being sent
    std::size_t d_at = 0;             // values of them that were sent
    std::atomic<std::uint64_t> d_dumps{0};
};

void dump_binner_impl::warn_of_long_dumps(const received& d)
{
    if (d_warned) {
        return;
    }
    const auto a = d_phase.at(d.start), b = d_phase.at(d.start.plus_seconds(d.interval));
    const double turned =
        static_cast<double>(b.whole - a.whole) + (b.fraction - a.fraction);
    for (const auto& g : d_gates) {
        if (turned > (g.to - g.from) * 1.001) {
            d_logger->warn("dumps of {:g} s turn by {:.3g}, more than the {:.3g} of a "
                           "bin: make them shorter",
                           d.interval,
                           turned,
                           g.to - g.from);
            d_warned = true;
            return;
        }
    }
}

void dump_binner_impl::take(const received& d)
{
    if (!d.timed) {
        throw stream_mismatch(
            alias() + ": the dumps carry no rx_time and interval, so they have no "
                      "phase: give the source a sample rate and a start time");
    }
    const pmt::pmt_t damaged = d.damaged ? d.damaged : d_tags.damaged;
    d_tags = d;
    d_tags.damaged = damaged;
    if (!(d.interval > 0)) { // it carries tags, no data
        return;
    }
    warn_of_long_dumps(d);
    array::timeline steps; // of this dump's length, the first of which it is
    steps.begin(d.start, 1 / d.interval, 0);
    const std::int64_t index = d_clock.index(steps, 0);
    if (d_open && index != d_index) {
        close();
    }
    if (!d_open) {
        d_open = true;
        d_index = index;
        d_start = d.start;
    }
    d_kernel.add(d, steps.middle(0), d.interval, d.exposure);
    d_end = d.start.plus_seconds(d.interval);
    // What has all it can have is sent now, not when the next dump comes.
    if (!d_sending && d_clock.index(steps, 1) != d_index) {
        close();
    }
}

void dump_binner_impl::close()
{
    d_open = false;
    for (std::size_t b = 0; b < d_finished.size(); ++b) {
        finished& f = d_finished[b];
        static_cast<dump_tags&>(f) = d_tags;
        f.start = d_start;
        f.interval = d_end.seconds_since(d_start);
        d_kernel.mean(b, f.interval, f.visibilities.data(), f.weights.data());
        f.exposure = d_kernel.exposure(b);
    }
    d_kernel.clear();
    d_at = 0;
    d_sending = true;
}

void dump_binner_impl::flush()
{
    if (d_open) {
        close();
    } else if (d_tags.damaged) { // no dump is left that could carry the tag
        d_start = d_end;
        close();
    }
}

bool dump_binner_impl::send(const gr_vector_void_star& out, std::uint64_t item)
{
    const std::size_t bins = d_finished.size();
    for (std::size_t b = 0; b < bins; ++b) {
        const finished& f = d_finished[b];
        gr_vector_void_star ports;
        for (std::size_t port = b; port < out.size(); port += bins) {
            ports.push_back(out[port]);
            if (d_at == 0) {
                const auto p = static_cast<unsigned>(port);
                tag_dump(p, item, f);
                add_item_tag(p, item, tag::bin(), pmt::from_long(static_cast<long>(b)));
            }
        }
        dump_items::copy(f, d_at, d_item_values, ports);
    }
    d_at += d_item_values;
    if (d_at < d_finished[0].visibilities.size()) {
        return true;
    }
    d_tags.damaged = nullptr;
    d_dumps += d_finished[0].interval > 0;
    return false;
}

} // namespace

dump_binner::sptr dump_binner::make(const dump_axes& axes,
                                    const pulse_phase& phase,
                                    std::size_t bins,
                                    const std::vector<double>& gates,
                                    double seconds,
                                    double dispersion,
                                    std::size_t channels_per_item)
{
    require(seconds > 0, me, "seconds", seconds, "must be positive");
    return gnuradio::make_block_sptr<dump_binner_impl>(
        axes,
        phase,
        kernels::phase_gates(bins, gates),
        seconds,
        dispersion,
        product_channels(
            me, channels_per_item, axes.baselines.size(), axes.frequencies.size()));
}

} // namespace gr::fringe
