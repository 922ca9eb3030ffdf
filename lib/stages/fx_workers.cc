/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/fx_workers.h"

namespace gr::fringe {

// One worker is made at once, so that wrong settings are refused here; the others when there
// is work for them.
fx_workers::fx_workers(const fx_worker_settings& settings,
                       unsigned threads,
                       std::function<void()> finished)
    : d_settings(settings), d_tasks(threads, std::move(finished))
{
    d_idle.push_back(std::make_unique<fx_worker>(d_settings, d_sums));
}

// The worker that was used last, whose memory is in the cache; else a new one.
std::unique_ptr<fx_worker> fx_workers::idle_worker()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (!d_idle.empty()) {
            auto worker = std::move(d_idle.back());
            d_idle.pop_back();
            return worker;
        }
    }
    std::lock_guard<std::mutex> lock(d_making);
    return std::make_unique<fx_worker>(d_settings, d_sums);
}

void fx_workers::release(std::unique_ptr<fx_worker> worker)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_idle.push_back(std::move(worker));
}

void fx_workers::put(stretch s)
{
    d_tasks.put([this, s = std::move(s)] {
        auto worker = idle_worker();
        stretch_sums sums = worker->run(s);
        release(std::move(worker));
        return sums;
    });
}

} // namespace gr::fringe
