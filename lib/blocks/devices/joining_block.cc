/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/devices/joining_block.h"

namespace gr::fringe {

int joining_block::general_work(int noutput_items,
                                gr_vector_int& ninput_items,
                                gr_vector_const_void_star& input_items,
                                gr_vector_void_star& output_items)
{
    return guard(*this, *d_logger, ninput_items, [&] {
        return join(noutput_items, ninput_items, input_items, output_items);
    });
}

std::vector<item_tags> joining_block::read_tags(const std::vector<std::size_t>& taken)
{
    std::vector<item_tags> parts;
    for (unsigned k = 0; k < taken.size(); ++k) {
        auto found = tags_of(*this, k, nitems_read(k) + taken[k]);
        parts.emplace_back(found);
        if (k == 0) {
            d_first = std::move(found);
        }
    }
    return parts;
}

void joining_block::pass_tags(std::uint64_t out_item)
{
    for (const tag_t& t : d_first) {
        if (!pmt::eq(t.key, tag::stream())) {
            for (int port = 0; port < output_signature()->max_streams(); ++port) {
                add_item_tag(static_cast<unsigned>(port), out_item, t.key, t.value);
            }
        }
    }
}

} // namespace gr::fringe
