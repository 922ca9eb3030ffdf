/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/dumps/dump_block.h"
#include "kernels/van_vleck/van_vleck.h"
#include <algorithm>
#include <gnuradio/fringe/van_vleck.h>

namespace gr::fringe {

namespace {

const std::string me = "van_vleck";

class van_vleck_impl : public van_vleck, public dump_block
{
public:
    van_vleck_impl(const kernels::van_vleck_params& p, std::size_t per_item)
        : gr::block("fringe_van_vleck",
                    dump_ports(me, per_item * kernels::baselines(p.inputs)),
                    dump_ports(me, per_item * kernels::baselines(p.inputs))),
          dump_block(per_item * kernels::baselines(p.inputs),
                     p.channels * kernels::baselines(p.inputs)),
          d_kernel(p),
          d_item_values(per_item * kernels::baselines(p.inputs))
    {
        const stream_fields dumps = dump_fields(p.inputs, p.channels, per_item);
        stream_fields raw = dumps; // only dumps of such samples can be straightened
        for (const stream_field& f : {stream_field("complex_samples", p.complex_samples),
                                      stream_field("sample_bits", p.bits),
                                      stream_field("taps", p.taps),
                                      stream_field("window", p.window)}) {
            raw[f.name] = f.value;
        }
        expect_dumps(raw);
        send_dumps(dumps);
    }

private:
    void take(const received& d) override
    {
        d_straight = d;
        d_straight.flags.resize(d.visibilities.size(), 0);
        d_kernel.correct(d_straight.visibilities.data());
        d_at = 0;
        d_sending = true;
    }
    void send_again() override { d_at = 0; }
    void flush() override {} // a dump's lags need all its channels
    bool send(const gr_vector_void_star& out, std::uint64_t item) override;

    kernels::van_vleck d_kernel;
    const std::size_t d_item_values;
    received d_straight;
    std::size_t d_at = 0; // values of it that were sent
};

bool van_vleck_impl::send(const gr_vector_void_star& out, std::uint64_t item)
{
    const received& d = d_straight;
    for (unsigned port = 0; port < out.size() && d_at == 0; ++port) {
        tag_dump(port, item, d);
    }
    dump_items::copy(d, d_at, d_item_values, out);
    d_at += d_item_values;
    return d_at < d.visibilities.size();
}

} // namespace

van_vleck::sptr van_vleck::make(std::size_t inputs,
                                std::size_t channels,
                                bool complex_samples,
                                unsigned bits,
                                unsigned taps,
                                const std::string& window,
                                std::size_t channels_per_item)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 1, me, "channels", channels, "must be at least 2");
    return gnuradio::make_block_sptr<van_vleck_impl>(
        kernels::van_vleck_params{inputs, channels, complex_samples, bits, taps, window},
        item_channels(me, channels_per_item, inputs, channels));
}

} // namespace gr::fringe
