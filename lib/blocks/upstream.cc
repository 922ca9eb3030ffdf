/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/upstream.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer.h>
#include <gnuradio/buffer_reader.h>

namespace gr {
namespace fringe {

namespace {

void add_writers(const gr::block& b, std::vector<gr::block_sptr>& found)
{
    const auto detail = b.detail();
    for (int port = 0; detail && port < detail->ninputs(); ++port) {
        const gr::block_sptr writer = detail->input(port)->buffer()->link();
        if (writer && std::find(found.begin(), found.end(), writer) == found.end()) {
            found.push_back(writer);
        }
    }
}

} // namespace

std::vector<gr::block_sptr> upstream(const gr::block& b)
{
    std::vector<gr::block_sptr> found;
    add_writers(b, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const gr::block_sptr next = found[k]; // the vector grows
        add_writers(*next, found);
    }
    return found;
}

} // namespace fringe
} // namespace gr
