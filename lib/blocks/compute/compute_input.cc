/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/compute_input.h"
#include "blocks/compute/compute_output.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr::fringe {

compute_input::compute_input(gr::block& owner,
                             std::shared_ptr<kernels::device> on,
                             std::size_t item_bytes,
                             std::size_t port)
    : d_owner(owner), d_on(std::move(on)), d_bytes(item_bytes), d_port(port)
{
}

void compute_input::open()
{
    if (d_open || !d_on) {
        return;
    }
    const auto host = d_owner.detail()->input(d_port)->buffer();
    if (host->link()) {
        check_same_device(*host, *host->link(), d_owner);
    }
    d_ring = device_buffer::find(host);
    d_only_reader = host->nreaders() == 1;
    if (!d_ring) {
        d_registered.emplace(d_on, host);
        if (d_copies.empty()) {
            d_memory = {static_cast<char*>(d_on->allocate(max_copies * d_bytes)),
                        [on = d_on](char* p) { on->release(p); }};
            for (std::size_t n = 0; n < max_copies; ++n) {
                d_copies.push_back({d_memory.get() + n * d_bytes,
                                    d_on->make_event(),
                                    d_on->make_event()});
            }
        }
    }
    d_open = true;
}

void compute_input::close()
{
    d_open = false;
    d_ring = nullptr;
    d_registered.reset();
    begin_run();
}

void compute_input::begin_run()
{
    d_in_flight = 0;
    d_item = nullptr;
}

kernels::spectra_layout compute_input::layout() const
{
    return d_ring ? d_ring->layout() : kernels::spectra_layout::channel_major;
}

bool compute_input::ready(std::size_t available) const
{
    return available > d_in_flight && (!copies() || d_in_flight < max_copies);
}

const void* compute_input::item(const void* first, const needed_bytes& needed)
{
    if (!d_item) {
        const void* at = static_cast<const char*>(first) + d_in_flight * d_bytes;
        d_item = copies() ? upload(at, needed) : d_ring ? d_ring->slot(at) : at;
    }
    return d_item;
}

const void* compute_input::upload(const void* item, const needed_bytes& needed)
{
    copy& c = d_copies[d_taken % max_copies];
    const std::size_t piece = d_bytes / needed.pieces;
    if (needed.first >= piece) {
        return c.memory; // no kernel reads it
    }
    c.read->make_wait(
        kernels::device_stream::h2d); // for kernels that read the last item there
    for (std::size_t at = needed.first; at < d_bytes; at += piece) {
        d_on->upload(
            c.memory + at, static_cast<const char*>(item) + at, piece - needed.first);
    }
    c.arrived->record(kernels::device_stream::h2d);
    c.arrived->make_wait(kernels::device_stream::compute);
    return c.memory;
}

void compute_input::move(const void* first, const compute_output& out, const void* place)
{
    const void* at = static_cast<const char*>(first) + d_in_flight * d_bytes;
    d_ring->move(at, *out.ring(), place);
}

void compute_input::done()
{
    if (copies()) {
        d_copies[d_taken % max_copies].read->record(kernels::device_stream::compute);
    }
    ++d_taken;
    ++d_in_flight;
    d_item = nullptr;
}

int compute_input::release(bool wait)
{
    int free = 0;
    for (; d_in_flight > 0; --d_in_flight, ++free) {
        if (copies()) {
            auto& arrived = *d_copies[(d_taken - d_in_flight) % max_copies].arrived;
            if (wait && free == 0) {
                arrived.wait();
            } else if (!arrived.reached()) {
                break;
            }
        }
    }
    return free;
}

} // namespace gr::fringe
