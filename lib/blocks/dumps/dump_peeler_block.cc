/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/dump_peeler_block.h"
#include "blocks/base/block_checks.h"
#include "blocks/compute/compute_block.h"
#include "blocks/compute/ring_sizes.h"
#include "blocks/ports/stream_kinds.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "peeler";
const std::size_t value_bytes[] = {sizeof(std::complex<float>), sizeof(float)};

std::size_t item_values(const kernels::peeling_params& p, std::size_t channels)
{
    return channels * kernels::baselines(p.inputs);
}

gr::io_signature::sptr ports(const kernels::peeling_params& p, std::size_t channels)
{
    const std::size_t values = item_values(p, channels);
    return gr::io_signature::make2(1,
                                   2,
                                   item_bytes(me, values * value_bytes[0]),
                                   item_bytes(me, values * value_bytes[1]));
}

} // namespace

dump_peeler_block::dump_peeler_block(const kernels::peeling_params& p,
                                     std::size_t channels_per_item,
                                     const kernels::compute_target& where,
                                     geometry place,
                                     solver solve)
    : gr::block(
          "fringe_gpu_peeler", ports(p, channels_per_item), ports(p, channels_per_item)),
      d_on(device_of(where)),
      d_p(p),
      d_channels_per_item(channels_per_item),
      d_place(std::move(place)),
      d_solve(std::move(solve)),
      d_kernel(kernels::make_peeling(where, p)),
      d_in(*this, d_on, item_values(p, channels_per_item)),
      d_times(d_on)
{
    set_tag_propagation_policy(TPP_DONT);
    if (d_on) {
        // An integrator sends a whole dump at a time, and holds up the X-engine until it is sent.
        set_relative_rate(1, rate_of_together(p.channels / channels_per_item));
    }
    const auto fields = dump_fields(p.inputs, p.channels, channels_per_item);
    const std::string kinds[] = {stream_kind::visibilities, stream_kind::weights};
    const std::size_t values = item_values(p, channels_per_item);
    const std::size_t items =
        d_on ? dump_ring_items(values * value_bytes[0], p.channels / channels_per_item)
             : 0;
    for (std::size_t port = 0; port < 2; ++port) {
        const std::size_t bytes = values * value_bytes[port];
        d_out.emplace_back(*this, port, d_on, bytes, true);
        use_whole_pages(*this, static_cast<int>(port), bytes, items);
        d_streams.expect(port, kinds[port], fields);
        d_streams.send(port, kinds[port], fields);
    }
    message_port_register_out(pmt::intern("solutions"));
}

// The rest of a dump that was coming in, or going out, is gone with its ring.
bool dump_peeler_block::start()
{
    begin_run();
    d_in.begin_run();
    d_channel = 0;
    d_sending = false;
    d_dump.first = true;
    return true;
}

bool dump_peeler_block::stop()
{
    if (d_on && d_open) {
        // GNU Radio may free its rings, and memory of ours, once this returns.
        try {
            d_on->synchronize();
        } catch (const kernels::device_error& e) {
            d_logger->error("{:s}", e.what());
        }
    }
    if (d_open) {
        d_in.close();
        for (auto& port : d_out) {
            port.close();
        }
    }
    d_open = false;
    return true;
}

void dump_peeler_block::open_ports()
{
    if (d_open) {
        return;
    }
    d_in.open(static_cast<std::size_t>(detail()->ninputs()));
    for (std::size_t n = 0; n < static_cast<std::size_t>(detail()->noutputs()); ++n) {
        d_out[n].open(*d_logger, [](kernels::spectra_layout) { return std::size_t(0); });
    }
    d_open = true;
}

// A dump that is whole, or going out, needs no more items.
void dump_peeler_block::forecast(int, gr_vector_int& required)
{
    std::fill(required.begin(), required.end(), d_sending || is_whole() ? 0 : 1);
}

bool dump_peeler_block::is_whole() const
{
    return !d_sending && d_channel == d_p.channels;
}

int dump_peeler_block::general_work(int noutput_items,
                                    gr_vector_int& ninput_items,
                                    gr_vector_const_void_star& input_items,
                                    gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return take_and_send(noutput_items, ninput_items, input_items, output_items);
    });
}

// Takes the next item of each input.
void dump_peeler_block::take_item(const gr_vector_const_void_star& in)
{
    if (d_channel == 0) {
        const std::uint64_t item = nitems_read(0) + d_in.in_flight();
        static_cast<dump_tags&>(d_dump.tags) =
            d_dump.tags.next(item_tags(tags_of(*this, 0, item)));
        d_dump.edge_channel = d_streams.received("edge_channel");
        d_dump.complex_samples = d_streams.received("complex_samples");
        d_kernel->begin(d_place(d_dump));
        d_dump.first = false;
    }
    d_in.take(in, [&](const auto* visibilities, const auto* weights) {
        const auto measured = d_times.measure();
        d_kernel->take(d_channel, d_channels_per_item, visibilities, weights);
    });
    d_channel += d_channels_per_item;
}

// Of a dump without length only the tags are sent on.
void dump_peeler_block::solve()
{
    const bool empty = d_dump.tags.timed && d_dump.tags.interval == 0;
    if (empty) {
        d_kernel->set_gains(std::vector<std::complex<float>>(
            d_p.groups.size() * d_p.hands.size() * d_p.sources * d_p.antennas));
    } else {
        const solution found = d_solve(d_dump, *this);
        d_kernel->set_gains(found.gains);
        message_port_pub(pmt::intern("solutions"), found.message);
    }
    d_channel = 0;
    d_sending = true;
}

kernels::peeling_sums
dump_peeler_block::sums(std::size_t hand,
                        std::size_t group,
                        const std::vector<std::complex<float>>& gains,
                        float clip)
{
    require(hand < d_p.hands.size(),
            me,
            "hand",
            hand,
            "there are " + std::to_string(d_p.hands.size()));
    require(group < d_p.groups.size(),
            me,
            "group",
            group,
            "there are " + std::to_string(d_p.groups.size()));
    require(gains.size() == d_p.sources * d_p.antennas,
            me,
            "gains",
            gains.size(),
            "must be a number for each source and antenna");
    const auto measured = d_times.measure(kernels::device_stream::background);
    return d_kernel->sums(hand, group, gains, clip);
}

// Writes the item that belongs behind the `produced` ones of this call.
void dump_peeler_block::send_item(const gr_vector_void_star& out, std::size_t produced)
{
    gr_vector_void_star host = out;
    for (std::size_t port = 0; port < out.size(); ++port) {
        host[port] =
            static_cast<char*>(out[port]) +
            produced * output_signature()->sizeof_stream_item(static_cast<int>(port));
    }
    for (const auto& [key, value] : d_dump.tags.tags()) {
        for (unsigned port = 0; d_channel == 0 && port < out.size(); ++port) {
            add_item_tag(port, nitems_written(port) + produced, key, value);
        }
    }
    {
        const auto measured = d_times.measure();
        auto* const visibilities =
            static_cast<std::complex<float>*>(d_out[0].item(host[0]));
        auto* const weights =
            out.size() > 1 ? static_cast<float*>(d_out[1].item(host[1])) : nullptr;
        d_kernel->subtract(d_channel, d_channels_per_item, visibilities, weights);
    }
    for (std::size_t port = 0; port < out.size(); ++port) {
        d_out[port].done(host[port]);
    }
    d_channel += d_channels_per_item;
    if (d_channel == d_p.channels) {
        d_channel = 0;
        d_sending = false;
    }
}

// Takes no more than one dump: the solver waits for its sums. Before it begins, the items of the
// dump are given back, so that the next dump has room while gains are solved.
int dump_peeler_block::take_and_send(int space,
                                     const gr_vector_int& available,
                                     const gr_vector_const_void_star& in,
                                     const gr_vector_void_star& out)
{
    open_ports();
    bool taken = false;
    int produced = 0;
    after_items(produced, [&] {
        while (!d_sending && !is_whole() && d_in.ready(available)) {
            take_item(in);
            taken = true;
        }
        if (is_whole() && !d_in.reads_its_ring()) {
            solve();
        }
        while (d_sending && produced < space) {
            send_item(out, static_cast<std::size_t>(produced));
            ++produced;
        }
        for (auto& port : d_out) {
            port.wait();
        }
    });
    d_in.consume(in.size(), !taken && produced == 0);
    return produced;
}

dump_peeler_block::sptr dump_peeler_block::make(const kernels::peeling_params& p,
                                                std::size_t channels_per_item,
                                                const kernels::compute_target& where,
                                                geometry place,
                                                solver solve)
{
    require(p.inputs > 0, me, "inputs", p.inputs, "must be at least 1");
    const std::size_t per_item =
        item_channels(me, channels_per_item, p.inputs, p.channels);
    return gnuradio::make_block_sptr<dump_peeler_block>(
        p, per_item, where, std::move(place), std::move(solve));
}

} // namespace gr::fringe
