/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/ring_sink.h"
#include "blocks/base/block_checks.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>
#include <map>
#include <utility>

namespace gr::fringe {

namespace {

const pmt::pmt_t& dumped_port()
{
    static const pmt::pmt_t port = pmt::mp("dumped");
    return port;
}

} // namespace

ring_sink::ring_sink(std::shared_ptr<item_ring> ring,
                     std::shared_ptr<ring_times> times,
                     const std::string& kind,
                     stream_fields fields)
    : gr::sync_block(
          "fringe_voltage_ring",
          gr::io_signature::make(1, 1, item_bytes("voltage_ring", ring->item_bytes())),
          gr::io_signature::make(0, 0, 0)),
      d_ring(std::move(ring)),
      d_times(std::move(times))
{
    d_streams.expect(0, kind, std::move(fields));
    message_port_register_out(dumped_port());
}

void ring_sink::begin_dump()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    ++d_dumps;
}

void ring_sink::end_dump(const pmt::pmt_t& found)
{
    if (found) {
        publish(found);
    }
    const std::lock_guard<std::mutex> lock(d_mutex);
    --d_dumps;
    d_written.notify_all();
}

unsigned ring_sink::busy() const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    return d_dumps;
}

void ring_sink::wait_for_dumps()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    d_written.wait(lock, [this] { return d_dumps == 0; });
}

void ring_sink::publish(const pmt::pmt_t& found)
{
    message_port_pub(dumped_port(), found);
}

bool ring_sink::start()
{
    begin_run();
    d_times->restart();
    d_ring->set_ended(false);
    return true;
}

bool ring_sink::stop()
{
    d_ring->set_ended(true);
    wait_for_dumps();
    return true;
}

// Each item with tags, and the first of these items, whose run may have begun before it.
void ring_sink::add_times(std::uint64_t first, std::uint64_t count)
{
    const std::uint64_t read = nitems_read(0);
    std::vector<tag_t> all;
    detail()->get_tags_in_range(all, 0, read, read + count, unique_id());
    std::map<std::uint64_t, std::vector<tag_t>> by_item{{read, {}}};
    for (const tag_t& t : all) {
        by_item[t.offset].push_back(t);
    }
    for (const auto& [offset, tags] : by_item) {
        d_times->add(first + (offset - read), tags);
    }
}

int ring_sink::work(int noutput_items,
                    gr_vector_const_void_star& input_items,
                    gr_vector_void_star&)
{
    return guard(*this, *d_logger, {noutput_items}, [&] {
        const auto count = static_cast<std::uint64_t>(noutput_items);
        add_times(d_ring->next(), count);
        d_ring->put(static_cast<const std::uint8_t*>(input_items[0]), count);
        // Who asks for the times of the oldest item may be overtaken.
        const std::uint64_t oldest = d_ring->first(), kept = d_ring->items();
        d_times->forget(oldest > kept ? oldest - kept : 0);
        return noutput_items;
    });
}

} // namespace gr::fringe
