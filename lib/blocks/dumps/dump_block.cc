/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/dump_block.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <sstream>

namespace gr::fringe {

gr::io_signature::sptr dump_ports(const std::string& block, std::size_t item_values)
{
    return gr::io_signature::make3(1,
                                   3,
                                   item_bytes(block, item_values * 8),
                                   item_bytes(block, item_values * 4),
                                   item_bytes(block, item_values));
}

dump_block::dump_block(std::size_t item_values, std::size_t dump_values)
    : d_items(item_values, dump_values)
{
    set_tag_propagation_policy(TPP_DONT);
    const auto ports = static_cast<int>(output_signature()->max_streams());
    for (int port = 0; port < ports; ++port) {
        use_whole_pages(*this, port, output_signature()->sizeof_stream_item(port));
    }
}

void dump_block::expect_dumps(const stream_fields& fields)
{
    d_streams.expect(0, stream_kind::visibilities, fields);
    d_streams.expect(1, stream_kind::weights, fields);
    d_streams.expect(2, stream_kind::flags, fields);
}

void dump_block::send_dumps(const stream_fields& fields)
{
    d_streams.send(0, stream_kind::visibilities, fields);
    d_streams.send(1, stream_kind::weights, fields);
    d_streams.send(2, stream_kind::flags, fields);
}

// The rest of a dump that was coming in is gone with its ring.
bool dump_block::start()
{
    begin_run();
    dump_items::clear(d_dump);
    d_restarted = d_dump.interval > 0;
    send_again();
    return true;
}

// Says how much GNU Radio dropped between two runs.
void dump_block::report_gap()
{
    const double lost = d_dump.start.seconds_since(d_end);
    if (d_restarted && d_dump.timed && lost > d_dump.interval / 2) {
        d_logger->warn(
            "gap: {:.6f} s of dumps are missing: GNU Radio dropped what was on "
            "its way when the flowgraph was changed",
            lost);
    }
    d_restarted = false;
    d_end = d_dump.start.plus_seconds(d_dump.interval);
}

void dump_block::forecast(int, gr_vector_int& required)
{
    for (std::size_t port = 0; port < required.size(); ++port) {
        required[port] = input_closed(*this, port) ? 0 : 1;
    }
}

int dump_block::general_work(int noutput_items,
                             gr_vector_int& ninput_items,
                             gr_vector_const_void_star& input_items,
                             gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return take_and_send(noutput_items,
                             *std::min_element(ninput_items.begin(), ninput_items.end()),
                             input_items,
                             output_items);
    });
}

void dump_block::open_dump(std::uint64_t item)
{
    const double before = d_dump.freq;
    static_cast<dump_tags&>(d_dump) = d_dump.next(item_tags(tags_of(*this, 0, item)));
    if (one_frequency() && before != 0 && d_dump.freq != before) {
        std::ostringstream why;
        why.precision(12);
        why << alias() << ": rx_freq: tuned from " << before << " to " << d_dump.freq
            << " Hz while it runs: it computes with the frequencies of one observation; "
               "end the flowgraph before the receivers are tuned";
        throw stream_mismatch(why.str());
    }
}

void dump_block::take_item(const gr_vector_const_void_star& in, int index)
{
    if (d_items.begins(d_dump)) {
        open_dump(nitems_read(0) + static_cast<std::uint64_t>(index));
    }
    d_items.add(d_dump, in, static_cast<std::size_t>(index));
    if (d_items.whole(d_dump)) {
        report_gap();
        take(d_dump);
        dump_items::clear(d_dump);
    }
}

// True when some input has ended: a dump is never whole without it.
bool dump_block::ended() const
{
    for (std::size_t port = 0; port < static_cast<std::size_t>(detail()->ninputs());
         ++port) {
        if (input_ended(*this, port)) {
            return true;
        }
    }
    return false;
}

int dump_block::take_and_send(int space,
                              int available,
                              const gr_vector_const_void_star& in,
                              const gr_vector_void_star& ring)
{
    gr::thread::scoped_lock lock(d_setlock);
    int produced = 0, taken = 0;
    bool over = false;
    after_items(produced, [&] {
        while (!over) {
            if (d_sending) {
                if (produced == space) {
                    break;
                }
                gr_vector_void_star out = ring;
                for (std::size_t port = 0; port < out.size(); ++port) {
                    out[port] = static_cast<std::uint8_t*>(ring[port]) +
                                produced * output_signature()->sizeof_stream_item(
                                               static_cast<int>(port));
                }
                d_sending = send(out, nitems_written(0) + produced);
                ++produced;
            } else if (taken < available) {
                take_item(in, taken++);
            } else if (available == 0 && ended()) {
                flush();
                over = !d_sending;
            } else {
                break;
            }
        }
    });
    consume_each(taken);
    return over && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

void dump_block::tag_dump(unsigned port, std::uint64_t item, const dump_tags& tags)
{
    for (const auto& [key, value] : tags.tags()) {
        add_item_tag(port, item, key, value);
    }
}

} // namespace gr::fringe
