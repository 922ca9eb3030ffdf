/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/reading_on_cores.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr {
namespace fringe {

namespace {

// Where the first of those that read a block's output works.
std::shared_ptr<kernels::device> device_behind(const gr::block& owner)
{
    const auto host = owner.detail()->output(0);
    const auto first = host->nreaders() > 0 ? host->reader(0)->link() : nullptr;
    const auto* reader = dynamic_cast<const device_reader*>(first.get());
    return reader ? reader->reads_on() : nullptr;
}

} // namespace

bool reading_on_cores::open(gr::logger& log)
{
    if (d_work) {
        return true;
    }
    const auto on = device_behind(d_owner);
    if (!on || !on->on_host()) {
        return false;
    }
    if (on != d_on) {
        d_on = on;
        d_out.emplace(d_owner, 0, d_on, d_bytes);
    }
    d_out->open(log, [](kernels::spectra_layout) { return std::size_t(0); });
    if (d_out->on_device()) {
        d_work = std::make_unique<kernels::stage_work>(
            std::shared_ptr<kernels::item_lines>(d_on, d_on->on_host()));
    }
    return d_work != nullptr;
}

void reading_on_cores::close()
{
    d_work = nullptr;
    if (d_out) {
        d_out->close();
    }
}

void reading_on_cores::put(void* host, filling fill)
{
    const auto read = [fill = std::move(fill)](unsigned, const void* item, void*) {
        fill(static_cast<std::uint8_t*>(const_cast<void*>(item)));
    };
    d_work->put(d_out->item(host), nullptr, read);
}

} // namespace fringe
} // namespace gr
