/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/band_channels.h"
#include "blocks/base/block_checks.h"
#include "blocks/dumps/dump_block.h"
#include <algorithm>
#include <atomic>
#include <gnuradio/fringe/visibility_reducer.h>

namespace gr::fringe {

namespace {

const std::string me = "visibility_reducer";

class visibility_reducer_impl : public visibility_reducer, public dump_block
{
public:
    visibility_reducer_impl(const dump_axes& axes,
                            std::size_t per_item,
                            std::size_t reduced_per_item)
        : gr::block("fringe_visibility_reducer",
                    dump_ports(me, per_item * axes.received_products()),
                    dump_ports(me, reduced_per_item * axes.baselines.size())),
          dump_block(per_item * axes.received_products(),
                     axes.received_channels() * axes.received_products()),
          d_kernel(axes),
          d_item_values(reduced_per_item * axes.baselines.size()),
          d_center_shift(axes.center_shift()),
          d_average(static_cast<double>(axes.selection.average))
    {
        expect_dumps({{"channels", axes.received_channels()},
                      {"channels_per_item", per_item},
                      {"products", "all"},
                      {"baselines", axes.received_products()},
                      {"complex_samples", axes.complex_samples()}});
        stream_fields reduced = dump_fields(axes, reduced_per_item);
        const array::band_channels band(axes.received_observation(),
                                        axes.received_channels(),
                                        axes.complex_samples());
        reduced["edge_channel"] = kept_channel(axes, band.edge);
        reduced["dc_channel"] = kept_channel(axes, band.dc);
        send_dumps(reduced);
    }

    std::uint64_t dumps() const override { return d_dumps; }

private:
    void take(const received& d) override
    {
        d_kernel.reduce(d, d_small);
        static_cast<dump_tags&>(d_small) = d;
        d_small.freq += d_center_shift;
        d_small.channel_width *= d_average;
        d_at = 0;
        d_sending = true;
    }
    void send_again() override { d_at = 0; }
    void flush() override {}
    bool send(const gr_vector_void_star& out, std::uint64_t item) override;

    kernels::reducer d_kernel;
    const std::size_t d_item_values;
    const double d_center_shift; // Hz, of the middle of the band
    const double d_average;      // channels that become one
    received d_small;
    std::size_t d_at = 0; // values of it that were sent
    std::atomic<std::uint64_t> d_dumps{0};
};

bool visibility_reducer_impl::send(const gr_vector_void_star& out, std::uint64_t item)
{
    const auto& d = d_small;
    for (unsigned port = 0; port < out.size() && d_at == 0; ++port) {
        tag_dump(port, item, d);
    }
    dump_items::copy(d, d_at, d_item_values, out);
    d_at += d_item_values;
    if (d_at < d.visibilities.size()) {
        return true;
    }
    d_dumps += d.interval > 0;
    return false;
}

} // namespace

visibility_reducer::sptr visibility_reducer::make(const dump_axes& axes,
                                                  std::size_t channels_per_item,
                                                  std::size_t reduced_per_item)
{
    return gnuradio::make_block_sptr<visibility_reducer_impl>(
        axes,
        product_channels(
            me, channels_per_item, axes.received_products(), axes.received_channels()),
        product_channels(
            me, reduced_per_item, axes.baselines.size(), axes.frequencies.size()));
}

} // namespace gr::fringe
