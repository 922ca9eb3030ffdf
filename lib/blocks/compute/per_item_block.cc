/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/per_item_block.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include <gnuradio/io_signature.h>

namespace gr::fringe {

per_item_block::per_item_block(std::shared_ptr<kernels::device> on)
    : compute_block(std::move(on))
{
    // What an item is becomes another item, but not tag for tag.
    set_tag_propagation_policy(TPP_DONT);
    const std::size_t bytes = output_signature()->sizeof_stream_item(0);
    use_whole_pages(*this, 0, bytes, d_on ? 0 : items_between_stages(bytes));
}

void per_item_block::forecast(int noutput_items, gr_vector_int& required)
{
    required[0] = has_last_item() && input_closed(*this) ? 0 : noutput_items;
}

int per_item_block::general_work(int noutput_items,
                                 gr_vector_int& ninput_items,
                                 gr_vector_const_void_star& input_items,
                                 gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return compute_items(
            noutput_items, ninput_items[0], input_items[0], output_items[0]);
    });
}

bool per_item_block::timed_item(const void* in,
                                std::uint64_t item,
                                void* out,
                                std::uint64_t out_item)
{
    const auto measured = d_times.measure();
    return compute_item(in, item, out, out_item);
}

int per_item_block::compute_items(int space, int available, const void* in, void* out)
{
    open_ports();
    const std::size_t size = output_signature()->sizeof_stream_item(0);
    std::size_t taken = 0;
    int produced = 0;
    bool ended = false;
    after_items(produced, [&] {
        while (produced < space && taken < d_max_items &&
               next_item(in, static_cast<std::size_t>(available))) {
            void* const host = static_cast<char*>(out) + produced * size;
            const std::uint64_t item = nitems_read(0) + d_in.in_flight();
            const void* const from = d_in.item(in);
            void* const to = d_out[0].item(host);
            if (timed_item(from, item, to, nitems_written(0) + produced)) {
                d_out[0].done(host);
                ++produced;
            }
            d_in.done();
            ++taken;
        }
        if (has_last_item() && available == 0 && space > 0 && input_ended(*this)) {
            void* const host = out;
            ended = !compute_last_item(d_out[0].item(host), nitems_written(0));
            d_out[0].done(host);
            produced += !ended;
        }
    });
    d_out[0].wait();
    consume_each(d_in.release(taken == 0));
    return ended ? static_cast<int>(WORK_DONE) : produced;
}

} // namespace gr::fringe
