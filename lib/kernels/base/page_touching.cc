/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/page_touching.h"
#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t page = 4096, part_of_thread = std::size_t(32) << 20;
constexpr std::size_t max_threads = 16;

void touch_part(std::uintptr_t first, std::size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    madvise(reinterpret_cast<void*>(first), bytes, MADV_POPULATE_WRITE);
#else
    static_cast<void>(first);
    static_cast<void>(bytes);
#endif
}

} // namespace

void touch_pages(const void* memory, std::size_t bytes)
{
    const auto first =
        (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
    if (first >= end) {
        return;
    }
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t parts = std::clamp(
        (end - first) / part_of_thread, std::size_t(1), std::min(max_threads, cores));
    const std::size_t each = ((end - first) / parts + page - 1) / page * page;
    std::vector<std::thread> threads;
    for (auto at = first; at < end; at += each) {
        const std::size_t some = std::min<std::size_t>(each, end - at);
        try {
            if (end - at > some) {
                threads.emplace_back(touch_part, at, some);
                continue;
            }
        } catch (const std::system_error&) { // the system gives no thread
        }
        touch_part(at, some);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace gr::fringe::kernels
