/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/upstream.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer.h>
#include <gnuradio/buffer_reader.h>

namespace gr::fringe {

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

void add_readers(const gr::block& b, std::vector<gr::block_sptr>& found)
{
    const auto detail = b.detail();
    for (int port = 0; detail && port < detail->noutputs(); ++port) {
        const auto buffer = detail->output(port);
        for (std::size_t n = 0; n < buffer->nreaders(); ++n) {
            const gr::block_sptr reader = buffer->reader(n)->link();
            if (reader && std::find(found.begin(), found.end(), reader) == found.end()) {
                found.push_back(reader);
            }
        }
    }
}

} // namespace

std::vector<gr::block_sptr> connected(const gr::block& b)
{
    std::vector<gr::block_sptr> found;
    add_writers(b, found);
    add_readers(b, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const gr::block_sptr next = found[k]; // the vector grows
        add_writers(*next, found);
        add_readers(*next, found);
    }
    found.erase(
        std::remove_if(found.begin(),
                       found.end(),
                       [&](const gr::block_sptr& block) { return block.get() == &b; }),
        found.end());
    return found;
}

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

} // namespace gr::fringe
