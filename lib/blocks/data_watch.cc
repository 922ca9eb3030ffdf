/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/data_watch.h"

namespace gr {
namespace fringe {

namespace {

constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds period{250};

} // namespace

data_watch::data_watch(const std::string& noun, std::size_t count)
    : d_noun(noun), d_ports(count)
{
}

data_watch::~data_watch() { stop(); }

void data_watch::start(gr::logger_ptr logger)
{
    stop();
    d_logger = logger;
    d_stop = false;
    for (port& p : d_ports) {
        p.since = clock::now();
        p.silent = false;
    }
    d_thread = std::thread([this] { run(); });
}

void data_watch::stop()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_stop = true;
    }
    d_wake.notify_all();
    if (d_thread.joinable()) {
        d_thread.join();
    }
}

void data_watch::run()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    while (!d_wake.wait_for(lock, period, [this] { return d_stop; })) {
        look();
    }
}

void data_watch::look()
{
    const auto now = clock::now();
    std::vector<std::size_t> fell_silent, spoke_again;
    for (std::size_t k = 0; k < d_ports.size(); ++k) {
        port& p = d_ports[k];
        if (p.fresh.exchange(false)) {
            if (p.silent) {
                spoke_again.push_back(k);
            }
            p.silent = false;
            p.since = now;
        } else if (!p.waiting) {
            p.since = now;
        } else if (!p.silent && now - p.since >= patience) {
            p.silent = true;
            fell_silent.push_back(k);
        }
    }
    say(fell_silent, true);
    say(spoke_again, false);
}

void data_watch::say(const std::vector<std::size_t>& which, bool silent)
{
    if (which.empty()) {
        return;
    }
    std::string list;
    for (const std::size_t k : which) {
        list += (list.empty() ? " " : ", ") + std::to_string(k);
    }
    const std::string ports = d_noun + (which.size() > 1 ? "s" : "") + list;
    if (silent) {
        d_logger->warn("no data for {:d} s on {:s}", patience.count(), ports);
    } else {
        d_logger->info("data again on {:s}", ports);
    }
}

} // namespace fringe
} // namespace gr
