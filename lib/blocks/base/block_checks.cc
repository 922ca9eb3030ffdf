/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <climits>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/xengine.h>
#include <numeric>

namespace gr::fringe {

std::size_t ring_items(std::size_t item, std::size_t asked)
{
    constexpr std::size_t page = 4096;
    const std::size_t whole = page / std::gcd(item, page);
    const std::size_t least = std::max<std::size_t>({4, 65536 / item, asked});
    return (least + whole - 1) / whole * whole;
}

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

void check_component(const std::string& block, const std::string& component)
{
    require(component == "f32" || component == "i8",
            block,
            "component",
            component,
            "must be f32 or i8, as the X-engine's");
}

void check_sums(const std::string& block,
                std::size_t inputs,
                std::size_t channels,
                const std::string& component)
{
    require(inputs > 0, block, "inputs", inputs, "must be at least 1");
    require(channels > 0, block, "channels", channels, "must be at least 1");
    check_component(block, component);
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

bool input_ended(const gr::block& b, std::size_t port, std::size_t taken)
{
    // In this order: the last items are written before the input is closed.
    return input_closed(b, port) &&
           static_cast<std::size_t>(b.detail()->input(port)->items_available()) == taken;
}

} // namespace gr::fringe
