/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/device_buffer.h"
#include "kernels/base/page_touching.h"
#include <map>
#include <mutex>

namespace gr::fringe {

namespace {

struct entry {
    std::weak_ptr<gr::buffer> host;
    std::weak_ptr<device_buffer> ring;
};

std::mutex& rings_mutex()
{
    static std::mutex mutex;
    return mutex;
}

// The device rings by the address of GNU Radio's ring. A call drops the entries of rings
// that are gone. The block that writes a ring keeps it.
std::map<const gr::buffer*, entry>& rings()
{
    static auto& all = *new std::map<const gr::buffer*, entry>;
    for (auto it = all.begin(); it != all.end();) {
        it = it->second.host.expired() ? all.erase(it) : std::next(it);
    }
    return all;
}

// A registered ring: all devices copy from and to it, whichever registered it.
struct registration {
    std::shared_ptr<kernels::device> by;
    unsigned users = 0;
};

std::map<const char*, registration>& registered()
{
    static auto& all = *new std::map<const char*, registration>;
    return all;
}

} // namespace

device_buffer::device_buffer(std::shared_ptr<kernels::device> on,
                             gr::buffer& host,
                             std::size_t bytes,
                             kernels::spectra_layout layout)
    : d_on(std::move(on)),
      d_base(host.base()),
      d_item_bytes(host.get_sizeof_item()),
      d_bytes(bytes),
      d_layout(layout),
      d_slots(static_cast<std::size_t>(host.bufsize()))
{
    for (auto& slot : d_slots) {
        slot = {static_cast<char*>(d_on->allocate(bytes)),
                [device = d_on](char* memory) { device->release(memory); }};
    }
}

std::size_t device_buffer::number_of(const void* in_ring) const
{
    const auto bytes =
        static_cast<std::size_t>(static_cast<const char*>(in_ring) - d_base);
    return bytes / d_item_bytes % d_slots.size();
}

void* device_buffer::slot(const void* in_ring) const
{
    return d_slots[number_of(in_ring)].get();
}

void device_buffer::move(const void* from, device_buffer& other, const void* to)
{
    d_slots[number_of(from)].swap(other.d_slots[other.number_of(to)]);
}

std::shared_ptr<device_buffer> device_buffer::find(const gr::buffer_sptr& host)
{
    std::lock_guard<std::mutex> lock(rings_mutex());
    auto& all = rings();
    const auto it = all.find(host.get());
    return it == all.end() ? nullptr : it->second.ring.lock();
}

std::shared_ptr<device_buffer> device_buffer::attach(std::shared_ptr<kernels::device> on,
                                                     const gr::buffer_sptr& host,
                                                     std::size_t bytes,
                                                     kernels::spectra_layout layout)
{
    std::lock_guard<std::mutex> lock(rings_mutex());
    entry& e = rings()[host.get()];
    auto ring = e.ring.lock();
    if (ring &&
        (ring->on() != on || ring->bytes() != bytes || ring->layout() != layout)) {
        throw kernels::device_error(
            "a block was connected while data lay on the device in a form it cannot "
            "read; connect it before the flowgraph starts");
    }
    if (!ring) {
        ring = std::make_shared<device_buffer>(std::move(on), *host, bytes, layout);
        e = {host, ring};
    }
    return ring;
}

registered_ring::registered_ring(const std::shared_ptr<kernels::device>& on,
                                 const gr::buffer_sptr& host)
    : d_host(host)
{
    std::lock_guard<std::mutex> lock(rings_mutex());
    registration& r = registered()[d_host->base()];
    if (r.users++ > 0) {
        return;
    }
    r.by = on;
    // GNU Radio maps a ring twice, one mapping behind the other.
    const std::size_t bytes =
        2 * std::size_t(d_host->bufsize()) * d_host->get_sizeof_item();
    kernels::touch_pages(d_host->base(), bytes / 2);
    try {
        on->register_host(const_cast<char*>(d_host->base()), bytes);
    } catch (const kernels::device_error&) {
        // The system may not allow to lock so much memory. Copies are slower then.
        registered().erase(d_host->base());
    }
}

registered_ring::~registered_ring()
{
    std::lock_guard<std::mutex> lock(rings_mutex());
    const auto it = registered().find(d_host->base());
    if (it != registered().end() && --it->second.users == 0) {
        it->second.by->unregister_host(const_cast<char*>(d_host->base()));
        registered().erase(it);
    }
}

} // namespace gr::fringe
