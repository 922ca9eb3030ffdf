/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/devices/crossing_block.h"
#include "blocks/base/block_checks.h"
#include "kernels/device/devices.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

using kernels::device_stream;

crossing_block::crossing_block(devices on) : d_on(std::move(on))
{
    set_tag_propagation_policy(TPP_DONT);
    for (std::size_t port = 0; port < d_on.size(); ++port) {
        const auto bytes = static_cast<std::size_t>(
            output_signature()->sizeof_stream_item(static_cast<int>(port)));
        d_out.emplace_back(*this, port, d_on[port], bytes);
        use_whole_pages(*this, static_cast<int>(port), bytes);
    }
    for (std::size_t n = 0; n < max_copies; ++n) {
        d_done.push_back(make_events());
    }
}

crossing_block::events crossing_block::make_events() const
{
    events all;
    for (const auto& on : d_on) {
        all.push_back(on->make_event());
    }
    return all;
}

std::shared_ptr<kernels::device> crossing_block::works_on(const gr::buffer& ring) const
{
    const auto own = detail();
    for (int port = 0; own && port < own->noutputs(); ++port) {
        if (own->output(static_cast<std::size_t>(port)).get() == &ring) {
            return d_on[static_cast<std::size_t>(port)];
        }
    }
    for (int port = 0; own && port < own->ninputs(); ++port) {
        if (own->input(static_cast<std::size_t>(port))->buffer().get() == &ring) {
            return input_device(static_cast<std::size_t>(port));
        }
    }
    return nullptr;
}

bool crossing_block::start()
{
    begin_run();
    d_in_flight = 0;
    d_free.clear();
    d_free_end = 0;
    return true;
}

bool crossing_block::stop()
{
    if (d_open) {
        // GNU Radio may free its rings, and the blocks before this one their memory.
        for (const auto& on : d_on) {
            try {
                on->synchronize();
            } catch (const kernels::device_error& e) {
                d_logger->error("{:s}", e.what());
            }
        }
        close_inputs();
        for (auto& out : d_out) {
            out.close();
        }
    }
    d_open = false;
    return true;
}

void crossing_block::open_ports()
{
    if (d_open) {
        return;
    }
    d_open = true;
    open_inputs();
    for (std::size_t port = 0; port < d_out.size(); ++port) {
        d_out[port].open(*d_logger, [&](kernels::spectra_layout layout) {
            return item_bytes_in(port, layout);
        });
    }
}

void crossing_block::wait_for_readers(device_stream copies)
{
    for (const auto& read : d_free.front().read) {
        read->make_wait(copies);
    }
}

// Whoever read the items before in these slots has its kernels in the stream by now, and others
// may soon have kernels there that the copies need not wait for.
void crossing_block::note_free_slots(std::size_t space)
{
    const std::uint64_t end = nitems_written(0) + space;
    if (end <= d_free_end) {
        return;
    }
    events read;
    if (!d_unused.empty()) {
        read = std::move(d_unused.back());
        d_unused.pop_back();
    } else {
        read = make_events();
    }
    for (const auto& event : read) {
        event->record(device_stream::compute);
    }
    d_free.push_back({end, std::move(read)});
    d_free_end = end;
}

// The slot of an item is the first one that is free now.
void crossing_block::use_slot(std::uint64_t item)
{
    while (d_free.front().end <= item) {
        d_unused.push_back(std::move(d_free.front().read));
        d_free.pop_front();
    }
}

void crossing_block::forecast(int, gr_vector_int& required)
{
    std::fill(required.begin(), required.end(), 1);
}

int crossing_block::general_work(int noutput_items,
                                 gr_vector_int& ninput_items,
                                 gr_vector_const_void_star& input_items,
                                 gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return move_items(noutput_items, ninput_items, input_items, output_items);
    });
}

// Asks for the copies of the item behind those under way.
void crossing_block::begin_item(const gr_vector_const_void_star& in,
                                const gr_vector_void_star& out)
{
    std::vector<const void*> from;
    for (std::size_t port = 0; port < in.size(); ++port) {
        from.push_back(static_cast<const char*>(in[port]) +
                       d_in_flight *
                           static_cast<std::size_t>(input_signature()->sizeof_stream_item(
                               static_cast<int>(port))));
    }
    std::vector<void*> to;
    for (std::size_t port = 0; port < out.size(); ++port) {
        to.push_back(d_out[port].item(
            static_cast<char*>(out[port]) +
            d_in_flight * static_cast<std::size_t>(output_signature()->sizeof_stream_item(
                              static_cast<int>(port)))));
    }
    tag_item(nitems_read(0) + d_in_flight, nitems_written(0) + d_in_flight);
    use_slot(nitems_written(0) + d_in_flight);
    copy_item(from, to, d_done[d_begun % max_copies]);
    ++d_begun;
    ++d_in_flight;
}

// Whether all copies of the oldest item under way are done; with `wait` they are.
bool crossing_block::arrived(bool wait)
{
    for (const auto& done : d_done[(d_begun - d_in_flight) % max_copies]) {
        if (wait) {
            done->wait();
        } else if (!done->reached()) {
            return false;
        }
    }
    return true;
}

int crossing_block::move_items(int space,
                               const gr_vector_int& available,
                               const gr_vector_const_void_star& in,
                               const gr_vector_void_star& out)
{
    const int least = *std::min_element(available.begin(), available.end());
    if (least == 0) {
        return 0;
    }
    open_ports();
    note_free_slots(static_cast<std::size_t>(space));
    const auto maximum =
        std::min(static_cast<std::size_t>(std::min(space, least)), max_copies);
    const bool begins = d_in_flight < maximum;
    while (d_in_flight < maximum) {
        begin_item(in, out);
    }
    int done = 0;
    for (; d_in_flight > 0 && arrived(!begins && done == 0); --d_in_flight, ++done) {
        for (std::size_t port = 0; port < d_out.size(); ++port) {
            d_out[port].done(
                static_cast<char*>(out[port]) +
                done * output_signature()->sizeof_stream_item(static_cast<int>(port)));
        }
    }
    for (auto& port : d_out) {
        port.wait();
    }
    consume_each(done);
    return done;
}

std::vector<std::shared_ptr<kernels::device>>
devices_named(const std::string& block, const std::vector<std::string>& names)
{
    require(!names.empty(), block, "devices", "none", "name at least one: cuda:0");
    std::vector<std::shared_ptr<kernels::device>> found;
    for (const std::string& name : names) {
        const auto where = choose_target(name);
        require(where.kind == kernels::backend::cuda,
                block,
                "devices",
                name,
                "must be GPUs: cuda:0, cuda:1, ...");
        found.push_back(kernels::open_device(where.index));
    }
    return found;
}

} // namespace gr::fringe
