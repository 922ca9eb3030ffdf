/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/buffer_pool.h"

namespace gr::fringe {

buffer_pool::buffer buffer_pool::take(std::size_t size)
{
    std::unique_ptr<bytes> taken;
    {
        std::lock_guard<std::mutex> lock(d_store->mutex);
        if (!d_store->idle.empty()) {
            taken = std::move(d_store->idle.back());
            d_store->idle.pop_back();
        }
    }
    if (!taken) {
        taken = std::make_unique<bytes>();
    }
    taken->resize(size);
    return buffer(taken.release(), [store = std::weak_ptr(d_store)](bytes* released) {
        std::unique_ptr<bytes> owner(released);
        if (const auto pool = store.lock()) {
            std::lock_guard<std::mutex> lock(pool->mutex);
            pool->idle.push_back(std::move(owner));
        }
    });
}

} // namespace gr::fringe
