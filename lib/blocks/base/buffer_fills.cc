/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/buffer_fills.h"
#include <gnuradio/block.h>
#include <gnuradio/block_detail.h>
#include <gnuradio/block_registry.h>
#include <gnuradio/buffer.h>
#include <gnuradio/buffer_reader.h>
#include <sstream>

namespace gr::fringe {

namespace {

// The buffer reader of "NAME:PORT"; null where there is none.
buffer_reader_sptr reader_of(const std::string& name, std::size_t colon)
{
    basic_block_sptr found;
    try {
        found = global_block_registry.block_lookup(pmt::mp(name.substr(0, colon)));
    } catch (const std::exception&) { // it has gone
        return nullptr;
    }
    const auto block = std::dynamic_pointer_cast<gr::block>(found);
    const auto detail = block ? block->detail() : nullptr;
    const int port = std::stoi(name.substr(colon + 1));
    return detail && port < detail->ninputs() ? detail->input(port) : nullptr;
}

} // namespace

std::vector<buffer_fill> buffer_fills(const std::string& edges)
{
    const std::string arrow = "->";
    std::vector<buffer_fill> all;
    std::istringstream lines(edges);
    for (std::string line; std::getline(lines, line);) {
        const auto at = line.find(arrow);
        const auto colon = line.rfind(':');
        if (at == std::string::npos || colon == std::string::npos || colon < at) {
            continue;
        }
        const std::string to = line.substr(at + arrow.size());
        if (const auto reader = reader_of(to, to.rfind(':'))) {
            gr::thread::scoped_lock lock(*reader->mutex());
            all.push_back(
                {line.substr(0, at),
                 to,
                 static_cast<std::uint64_t>(reader->items_available()),
                 static_cast<std::uint64_t>(reader->max_possible_items_available()),
                 reader->nitems_read()});
        }
    }
    return all;
}

} // namespace gr::fringe
