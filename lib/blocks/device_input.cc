/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/device_input.h"
#include "kernels/cores/item_lines.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>

namespace gr {
namespace fringe {

device_input::device_input(gr::block& owner,
                           std::shared_ptr<kernels::device> on,
                           std::size_t item_bytes)
    : d_owner(owner), d_on(std::move(on)), d_bytes(item_bytes)
{
}

void device_input::open()
{
    if (d_open || !d_on) {
        return;
    }
    const auto host = d_owner.detail()->input(0)->buffer();
    d_ring = device_ring::find(host);
    if (d_ring && d_ring->on() != d_on) {
        d_ring = nullptr; // another device's, which copies every item to the host, too
    }
    if (!d_ring && d_on->on_host()) {
        d_addresses.emplace(*host);
    } else if (!d_ring) {
        d_registered.emplace(d_on, host);
        if (d_copies.empty()) {
            d_memory = {static_cast<char*>(d_on->allocate(most_copies * d_bytes)),
                        [on = d_on](char* p) { on->release(p); }};
            for (std::size_t n = 0; n < most_copies; ++n) {
                d_copies.push_back({d_memory.get() + n * d_bytes,
                                    d_on->make_event(),
                                    d_on->make_event()});
            }
        }
    }
    d_open = true;
}

void device_input::close()
{
    d_open = false;
    d_ring = nullptr;
    d_registered.reset();
    d_addresses.reset();
    for (const void* const item : d_used) { // what is in flight is done
        d_on->on_host()->forget(item);
    }
    begin_run();
}

void device_input::begin_run()
{
    d_used.clear();
    d_in_flight = 0;
    d_item = nullptr;
}

kernels::spectra_layout device_input::layout() const
{
    return d_ring ? d_ring->layout() : kernels::spectra_layout::rows;
}

bool device_input::ready(std::size_t available) const
{
    return available > d_in_flight &&
           (!d_on || d_ring || d_addresses || d_in_flight < most_copies);
}

const void* device_input::item(const void* host)
{
    if (!d_item) {
        const void* at = static_cast<const char*>(host) + d_in_flight * d_bytes;
        d_item = !d_on         ? at
                 : d_addresses ? (*d_addresses)(at)
                 : d_ring      ? d_ring->slot(at)
                               : upload(at);
    }
    return d_item;
}

const void* device_input::upload(const void* host)
{
    copy& c = d_copies[d_taken % most_copies];
    c.read->hold(kernels::lane::up); // the kernels that read what was there before
    d_on->upload(c.memory, host, d_bytes);
    c.arrived->record(kernels::lane::up);
    c.arrived->hold(kernels::lane::compute);
    return c.memory;
}

void device_input::done()
{
    if (d_on && d_on->on_host()) {
        d_on->on_host()->passed(d_item);
        d_used.push_back(d_item);
    } else if (d_on && !d_ring) {
        d_copies[d_taken % most_copies].read->record(kernels::lane::compute);
    }
    ++d_taken;
    ++d_in_flight;
    d_item = nullptr;
}

// A good part of what is in flight at once: to wake threads for every single item, this one and
// that which writes the ring, costs as much as some items' work.
int device_input::release_used(bool wait)
{
    auto& lines = *d_on->on_host();
    const std::size_t part = d_used.size() / 2;
    if (d_used.empty() || (!wait && !lines.idle(d_used[part]))) {
        return 0;
    }
    lines.wait_for(d_used[part]);
    lines.wait_for(d_used.front());
    int free = 0;
    for (; !d_used.empty() && lines.idle(d_used.front()); ++free) {
        lines.forget(d_used.front());
        d_used.pop_front();
        --d_in_flight;
    }
    return free;
}

int device_input::release(bool wait)
{
    if (d_on && d_on->on_host()) {
        return release_used(wait);
    }
    int free = 0;
    for (; d_in_flight > 0; --d_in_flight, ++free) {
        if (d_on && !d_ring) {
            auto& arrived = *d_copies[(d_taken - d_in_flight) % most_copies].arrived;
            if (wait && free == 0) {
                arrived.wait();
            } else if (!arrived.passed()) {
                break;
            }
        }
    }
    return free;
}

} // namespace fringe
} // namespace gr
