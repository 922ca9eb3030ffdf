/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/items_in_place.h"
#include "kernels/base/stream_copy.h"

namespace gr::fringe {

void items_in_place::read(const std::shared_ptr<raw_block>& block,
                          const std::uint8_t* item_bytes)
{
    auto taken = std::make_shared<item>();
    taken->in_use = true;
    taken->block = block;
    block->bytes = {item_bytes, [taken](const std::uint8_t*) { taken->in_use = false; }};
    d_items.push_back(std::move(taken));
}

std::size_t items_in_place::take_ready()
{
    std::size_t count = 0;
    for (; ready(); ++count) {
        d_items.pop_front();
    }
    return count;
}

void items_in_place::copy(buffer_pool& buffers, std::size_t item_bytes)
{
    for (const auto& taken : d_items) {
        if (const auto block = taken->block.lock(); block && taken->in_use) {
            copy_samples(*block, block->bytes.get(), item_bytes, buffers);
        }
        // Of a block that another thread is letting go at this moment, too.
        taken->in_use = false;
    }
}

void copy_samples(raw_block& block,
                  const std::uint8_t* item,
                  std::size_t item_bytes,
                  buffer_pool& buffers)
{
    const auto buffer = buffers.take(item_bytes);
    kernels::stream_copy(buffer->data(), item, item_bytes);
    kernels::stream_fence();
    block.bytes = {buffer, buffer->data()};
}

} // namespace gr::fringe
