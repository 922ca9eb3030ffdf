/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "kernels/types.h"
#include <algorithm>
#include <climits>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/xengine.h>
#include <numeric>

namespace gr {
namespace fringe {

namespace {

// Items in the ring of an output port: GNU Radio's default (64 kB, four items at least),
// rounded up to whole pages. An item of an awkward size makes a ring of up to 4096 items.
std::size_t ring_items(std::size_t item, std::size_t asked = 0)
{
    constexpr std::size_t page = 4096;
    const std::size_t whole = page / std::gcd(item, page);
    const std::size_t least = std::max<std::size_t>({4, 65536 / item, asked});
    return (least + whole - 1) / whole * whole;
}

} // namespace

void use_whole_pages(gr::block& b, int port, std::size_t item_bytes, std::size_t least)
{
    b.set_min_output_buffer(port, static_cast<long>(ring_items(item_bytes, least)));
}

int item_bytes(const std::string& block, std::size_t bytes)
{
    require(
        bytes > 0 && bytes <= INT_MAX,
        block,
        "item size",
        std::to_string(bytes) + " bytes",
        "GNU Radio's items hold 1 byte to 2 GB; take shorter blocks or fewer channels "
        "per item");
    return static_cast<int>(bytes);
}

std::size_t item_channels(const std::string& block,
                          std::size_t asked,
                          std::size_t inputs,
                          std::size_t channels)
{
    return product_channels(block, asked, kernels::baselines(inputs), channels);
}

std::size_t item_spectra(std::size_t asked, std::size_t inputs, std::size_t channels)
{
    return asked > 0 ? asked : block_spectra(inputs, channels);
}

std::size_t product_channels(const std::string& block,
                             std::size_t asked,
                             std::size_t products,
                             std::size_t channels)
{
    const std::size_t per_item =
        asked > 0 ? asked : channels_per_item_of_products(products, channels);
    require(channels % per_item == 0,
            block,
            "channels_per_item",
            per_item,
            "must divide the " + std::to_string(channels) +
                " channels (0 = chosen for you)");
    return per_item;
}

bool input_closed(const gr::block& b, std::size_t port)
{
    const auto detail = b.detail();
    return detail && static_cast<std::size_t>(detail->ninputs()) > port &&
           detail->input(port)->done();
}

bool input_ended(const gr::block& b, std::size_t port)
{
    // In this order: the last items are written before the input is closed.
    return input_closed(b, port) && b.detail()->input(port)->items_available() == 0;
}

std::size_t channels_per_item(std::size_t inputs, std::size_t channels)
{
    return channels_per_item_of_products(kernels::baselines(inputs), channels);
}

std::size_t channels_per_item_of_products(std::size_t products, std::size_t channels)
{
    constexpr std::size_t largest_item = std::size_t(16) << 20;
    constexpr std::size_t largest_ring = std::size_t(128) << 20;
    std::size_t best = 1;
    for (std::size_t n = 1; n <= channels; ++n) {
        const std::size_t item = 8 * products * n;
        if (channels % n == 0 && item <= largest_item &&
            ring_items(item) * item <= largest_ring) {
            best = n;
        }
    }
    return best;
}

std::size_t block_spectra(std::size_t inputs, std::size_t channels)
{
    // Half a megabyte: what one stage has written is still in the second-level cache when
    // the next one reads it; twice that from 16 inputs on. The number of threads does not
    // count: how sums of floats are rounded depends on the size of a block. In fours, for the
    // vectors of corner turns and X-engine; the products of many inputs want more spectra
    // together.
    const std::size_t target = std::size_t(inputs < 16 ? 1 : 2) << 19;
    const std::size_t values = std::max<std::size_t>(inputs * channels, 1);
    const std::size_t few = inputs > 64 && 8 * values * 16 <= 32 * target ? 16 : 4;
    // Multiples that make items of whole kilobytes, so that rings need no odd number of
    // them.
    const std::size_t even = std::max(few, 1024 / std::gcd<std::size_t>(values, 1024));
    const std::size_t step = 8 * values * even <= 4 * target ? even : few;
    const std::size_t n = target / (8 * values) / step * step;
    return std::clamp<std::size_t>(n, step, 4096);
}

} // namespace fringe
} // namespace gr
