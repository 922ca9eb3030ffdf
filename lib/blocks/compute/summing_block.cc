/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/summing_block.h"
#include "blocks/base/block_checks.h"
#include "blocks/compute/ring_sizes.h"
#include <algorithm>
#include <exception>
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>
#include <utility>

namespace gr::fringe {

summing_block::summing_block(std::shared_ptr<kernels::device> on,
                             bool to_host,
                             std::size_t channels,
                             std::size_t channels_per_item)
    : compute_block(std::move(on), to_host),
      d_channels_per_item(channels_per_item),
      d_channels(channels)
{
    set_tag_propagation_policy(TPP_DONT);
    const auto ports = static_cast<int>(output_signature()->max_streams());
    const auto first =
        static_cast<std::size_t>(output_signature()->sizeof_stream_item(0));
    const std::size_t items =
        d_on && to_host ? dump_ring_items(first, channels / channels_per_item) : 0;
    for (int port = 0; port < ports; ++port) {
        use_whole_pages(*this, port, output_signature()->sizeof_stream_item(port), items);
    }
}

// A sum that was being sent is sent once more: some of its items may have been lost.
bool summing_block::start()
{
    d_sent_channels = 0;
    d_arriving = 0;
    return compute_block::start();
}

bool summing_block::stop()
{
    d_arrival = {}; // waits; compute_block::stop() says what has failed
    return compute_block::stop();
}

// While items are arriving, the block sleeps until begin_arrival() wakes it. A sum of an
// earlier run is sent again when an item has come.
void summing_block::forecast(int, gr_vector_int& required)
{
    const bool may_send = d_arriving > 0 ? d_arrived.load() : d_sending && ports_open();
    required[0] = may_send || input_closed(*this) ? 0 : static_cast<int>(items_wanted());
}

int summing_block::general_work(int noutput_items,
                                gr_vector_int& ninput_items,
                                gr_vector_const_void_star& input_items,
                                gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return add_and_send(noutput_items, ninput_items[0], input_items[0], output_items);
    });
}

// Writes the item that belongs behind the `produced` ones of this call.
void summing_block::send_item(const gr_vector_void_star& ring, int produced)
{
    gr_vector_void_star host = ring, out = ring;
    for (std::size_t port = 0; port < ring.size(); ++port) {
        host[port] =
            static_cast<std::uint8_t*>(ring[port]) +
            produced * output_signature()->sizeof_stream_item(static_cast<int>(port));
        out[port] = d_out[port].item(host[port]);
    }
    if (d_sent_channels == 0) {
        tag_sum(nitems_written(0) + produced);
    }
    write_sum(d_sent_channels, d_channels_per_item, out);
    d_sent_channels += d_channels_per_item;
    for (std::size_t port = 0; port < ring.size(); ++port) {
        d_out[port].done(host[port]);
    }
    if (!copying()) {
        finish_sum();
    }
}

// Called when all items written so far can be produced. Not before, because a sum of which
// items are lost when the flowgraph is changed is sent once more.
void summing_block::finish_sum()
{
    if (d_sent_channels == d_channels) {
        d_sent_channels = 0;
        d_sending = sum_sent();
    }
}

void summing_block::add_dump_tags(std::uint64_t item, const dump_tags& dump)
{
    for (const auto& [key, value] : dump.tags()) {
        for (int port = 0; port < detail()->noutputs(); ++port) {
            add_item_tag(port, item, key, value);
        }
    }
}

bool summing_block::copying() const
{
    return std::any_of(d_out.begin(), d_out.end(), [](const compute_output& out) {
        return out.copying();
    });
}

// Lets a thread wait for the copies of some items, and wake this block as a message does.
void summing_block::begin_arrival(int items)
{
    d_arriving = items;
    d_arrived = false;
    d_arrival = std::async(std::launch::async, [this, scheduler = detail()] {
        std::exception_ptr failure;
        try {
            for (auto& out : d_out) {
                out.wait();
            }
        } catch (...) {
            failure = std::current_exception();
        }
        d_arrived = true;
        scheduler->d_tpb.notify_msg();
        if (failure) {
            std::rethrow_exception(failure);
        }
    });
}

// Returns the number of items that have arrived; waits for them.
int summing_block::end_arrival()
{
    d_arrival.get();
    finish_sum();
    return std::exchange(d_arriving, 0);
}

int summing_block::add_and_send(int space,
                                int available,
                                const void* in,
                                const gr_vector_void_star& ring)
{
    gr::thread::scoped_lock lock(d_setlock);
    open_ports();
    if (d_arriving > 0) {
        return end_arrival();
    }
    std::size_t taken = 0;
    int produced = 0;
    bool ended = false;
    after_items(produced, [&] {
        while (!ended) {
            if (d_sending) {
                if (produced == space || d_sent_channels == d_channels) {
                    break;
                }
                send_item(ring, produced);
                ++produced;
            } else if (taken < d_max_items && d_in.ready(available)) {
                if (take(d_in.item(in), nitems_read(0) + d_in.in_flight())) {
                    d_in.done();
                    ++taken;
                }
            } else if (available == 0 && input_ended(*this)) {
                flush();
                ended = !d_sending;
            } else {
                break;
            }
        }
        items_taken();
    });
    consume_each(d_in.release(taken == 0 && produced == 0));
    if (copying()) {
        begin_arrival(produced);
        // A failure ends the data in the next call: what is on its way goes out before.
        return holds_failure() ? end_arrival() : 0;
    }
    return ended && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

} // namespace gr::fringe
