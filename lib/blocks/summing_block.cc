/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/summing_block.h"
#include "blocks/block_checks.h"
#include <gnuradio/io_signature.h>

namespace gr {
namespace fringe {

summing_block::summing_block()
{
    set_tag_propagation_policy(TPP_DONT);
    const auto ports = static_cast<int>(output_signature()->max_streams());
    for (int port = 0; port < ports; ++port) {
        use_whole_pages(*this, port, output_signature()->sizeof_stream_item(port));
    }
}

void summing_block::forecast(int, gr_vector_int& required)
{
    required[0] = input_closed(*this) ? 0 : 1;
}

int summing_block::general_work(int noutput_items,
                                gr_vector_int& ninput_items,
                                gr_vector_const_void_star& input_items,
                                gr_vector_void_star& output_items)
{
    gr::thread::scoped_lock guard(d_setlock);
    const auto* in = static_cast<const std::uint8_t*>(input_items[0]);
    gr_vector_void_star out = output_items;
    int consumed = 0, produced = 0;
    bool ended = false;
    while (!ended) {
        if (d_sending) {
            if (produced == noutput_items) {
                break;
            }
            d_sending = send(out, nitems_written(0) + produced);
            for (std::size_t port = 0; port < out.size(); ++port) {
                out[port] = static_cast<std::uint8_t*>(out[port]) +
                            output_signature()->sizeof_stream_item(port);
            }
            ++produced;
        } else if (consumed < ninput_items[0]) {
            if (take(in, nitems_read(0) + consumed)) {
                in += input_signature()->sizeof_stream_item(0);
                ++consumed;
            }
        } else if (consumed == 0 && input_ended(*this)) {
            flush();
            ended = !d_sending;
        } else {
            break;
        }
    }
    consume_each(consumed);
    return ended && produced == 0 ? static_cast<int>(WORK_DONE) : produced;
}

} // namespace fringe
} // namespace gr
