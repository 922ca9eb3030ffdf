/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/compute_block.h"
#include "blocks/base/items_ahead.h"
#include "kernels/device/devices.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

compute_block::compute_block(std::shared_ptr<kernels::device> on,
                             bool to_host,
                             std::size_t ports)
    : d_on(std::move(on)),
      d_max_items(d_on ? SIZE_MAX
                       : items_per_call(input_signature()->sizeof_stream_item(0))),
      d_in(*this, d_on, input_signature()->sizeof_stream_item(0)),
      d_times(d_on)
{
    const auto all = static_cast<std::size_t>(output_signature()->max_streams());
    for (std::size_t port = 0; port < std::min(all, ports); ++port) {
        d_out.emplace_back(*this,
                           port,
                           d_on,
                           output_signature()->sizeof_stream_item(static_cast<int>(port)),
                           to_host);
    }
}

void compute_block::open_ports()
{
    if (d_open) {
        return;
    }
    d_in.open();
    const auto connected = static_cast<std::size_t>(detail()->noutputs());
    for (std::size_t port = 0; port < std::min(connected, d_out.size()); ++port) {
        d_out[port].open(*d_logger, [this](kernels::spectra_layout layout) {
            return item_bytes_in(layout);
        });
    }
    d_open = true;
    opened();
}

kernels::spectra_layout compute_block::layout_in(const gr::buffer& ring) const
{
    const auto connected = static_cast<std::size_t>(detail()->noutputs());
    for (std::size_t port = 0; port < std::min(connected, d_out.size()); ++port) {
        if (detail()->output(port).get() == &ring) {
            return d_out[port].layout();
        }
    }
    return kernels::spectra_layout::channel_major;
}

bool compute_block::start()
{
    begin_run();
    d_in.begin_run();
    return true;
}

bool compute_block::stop()
{
    if (d_open) {
        // GNU Radio may free its rings, and memory of ours, once this returns.
        try {
            if (d_on) {
                d_on->synchronize();
            }
        } catch (const kernels::device_error& e) {
            d_logger->error("{:s}", e.what());
        }
        d_in.close();
        for (auto& out : d_out) {
            out.close();
        }
    }
    d_open = false;
    return true;
}

std::shared_ptr<kernels::device> device_of(const kernels::compute_target& where)
{
    return where.kind == kernels::backend::cuda ? kernels::open_device(where.index)
                                                : nullptr;
}

} // namespace gr::fringe
