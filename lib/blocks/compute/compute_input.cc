/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/compute_input.h"
#include "blocks/compute/compute_output.h"
#include <algorithm>
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

void compute_input::gather(std::size_t items, std::size_t rows)
{
    d_items = items;
    d_rows = rows;
}

void compute_input::open()
{
    if (d_open) {
        return;
    }
    const auto host = d_owner.detail()->input(d_port)->buffer();
    if (!d_on) {
        const auto before = host->link(); // a block that is no device_block writes rows
        const auto* writer = dynamic_cast<const device_block*>(before.get());
        d_layout =
            writer ? writer->layout_in(*host) : kernels::spectra_layout::channel_major;
        d_open = true;
        return;
    }
    if (host->link()) {
        check_same_device(*host, *host->link(), d_owner);
    }
    d_ring = device_buffer::find(host);
    if (d_ring && d_items > 1) {
        throw kernels::device_error(
            "parts of blocks lie on the device already, where they cannot be gathered; "
            "let the block before send whole ones");
    }
    d_only_reader = host->nreaders() == 1;
    if (!d_ring) {
        d_registered.emplace(d_on, host);
        make_blocks(d_items == 1 ? max_copies
                                 : static_cast<std::size_t>(host->bufsize()));
    }
    d_open = true;
}

// Memory for copies. Of a gathered block little waits for more than its unpacking.
void compute_input::make_blocks(std::size_t items_in_flight)
{
    const std::size_t blocks = d_items == 1 ? max_copies : gathered_blocks;
    const std::size_t bytes = d_items * d_bytes;
    if (d_blocks.empty()) {
        d_memory = {static_cast<char*>(d_on->allocate(blocks * bytes)),
                    [on = d_on](char* p) { on->release(p); }};
        for (std::size_t n = 0; n < blocks; ++n) {
            d_blocks.push_back({d_memory.get() + n * bytes, d_on->make_event()});
        }
    }
    while (d_arrived.size() < items_in_flight) {
        d_arrived.push_back(d_on->make_event());
    }
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
    d_in_flight = d_gathered = 0;
    d_item = nullptr;
}

kernels::spectra_layout compute_input::layout() const
{
    return d_ring ? d_ring->layout() : d_layout;
}

bool compute_input::ready(std::size_t available) const
{
    const bool holds_it = d_items == 1 && d_gathered > 0; // taken, but not done
    return holds_it ||
           (available > d_in_flight && (!copies() || d_in_flight < d_arrived.size()));
}

void compute_input::add_item(const void* first, const needed_bytes& needed)
{
    if (!copies()) {
        return; // it is where it is needed
    }
    const block& to = d_blocks[d_taken % d_blocks.size()];
    if (d_gathered == 0) {
        // For kernels that read the last block there.
        to.read->make_wait(kernels::device_stream::h2d);
    }
    upload(static_cast<const char*>(first) + d_in_flight * d_bytes, to.memory, needed);
    arrived(d_begun++).record(kernels::device_stream::h2d);
    ++d_gathered;
    ++d_in_flight;
}

// The part of an item that is needed, to its place in the block.
void compute_input::upload(const void* item, char* to, const needed_bytes& needed)
{
    const std::size_t rows = d_items == 1 ? needed.pieces : d_rows;
    const std::size_t width = d_bytes / rows, pitch = d_items * width;
    const std::size_t begin = d_gathered * width;
    const std::size_t skip = std::max(begin, needed.first) - begin;
    if (skip >= width) {
        return; // no kernel reads it
    }
    const auto* from = static_cast<const char*>(item) + skip;
    if (rows == 1) {
        d_on->upload(to + begin + skip, from, width - skip);
    } else if (skip == 0 && d_items == 1) {
        d_on->upload(to, from, d_bytes);
    } else {
        d_on->upload({to + begin + skip, pitch}, {from, width}, width - skip, rows);
    }
}

// Kernels wait for what was copied there last.
const void* compute_input::block_on_device()
{
    char* const memory = d_blocks[d_taken % d_blocks.size()].memory;
    arrived(d_begun - 1).make_wait(kernels::device_stream::compute);
    if (d_gathered < d_items) {
        const std::size_t width = d_bytes / d_rows, pitch = d_items * width;
        const std::size_t end = d_gathered * width;
        d_on->fill(memory + end, pitch, 0, pitch - end, d_rows);
    }
    return memory;
}

const void* compute_input::item(const void* first, const needed_bytes& needed)
{
    if (!d_item && copies()) {
        if (d_gathered == 0) {
            add_item(first, needed);
        }
        d_item = block_on_device();
    } else if (!d_item) {
        const void* at = static_cast<const char*>(first) + d_in_flight * d_bytes;
        d_item = d_ring ? d_ring->slot(at) : at;
    }
    return d_item;
}

void compute_input::move(const void* first, const compute_output& out, const void* place)
{
    const void* at = static_cast<const char*>(first) + d_in_flight * d_bytes;
    d_ring->move(at, *out.ring(), place);
}

void compute_input::done()
{
    if (copies()) {
        d_blocks[d_taken % d_blocks.size()].read->record(kernels::device_stream::compute);
    } else {
        ++d_in_flight;
    }
    ++d_taken;
    d_gathered = 0;
    d_item = nullptr;
}

// What is gathered has left the ring; of an item of its own the tags may be read once more.
int compute_input::release(bool wait)
{
    const std::size_t held = d_items == 1 ? d_gathered : 0;
    int free = 0;
    for (; d_in_flight > held; --d_in_flight, ++free) {
        if (copies()) {
            auto& copied = arrived(d_begun - d_in_flight);
            if (wait && free == 0) {
                copied.wait();
            } else if (!copied.reached()) {
                break;
            }
        }
    }
    return free;
}

} // namespace gr::fringe
