/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/data_watch.h"
#include <sstream>

namespace gr::fringe {

namespace {

constexpr std::chrono::seconds timeout{5};
constexpr std::chrono::milliseconds period{250};

std::string with_unit(double rate)
{
    std::ostringstream s;
    s.precision(4);
    s << (rate >= 1e6   ? rate / 1e6
          : rate >= 1e3 ? rate / 1e3
                        : rate)
      << (rate >= 1e6   ? " MS/s"
          : rate >= 1e3 ? " kS/s"
                        : " S/s");
    return s.str();
}

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
    d_passed = d_at_first = 0;
    d_speed_logged = false;
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
        if (d_passed > 0) {
            d_logger->info(
                "end: {:d} samples of every input came{:s}", d_passed, speed());
        }
    }
}

void data_watch::began(const std::string& what, double rate, const std::string& since)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_rate = rate;
    d_logger->info(
        "first data: {:s} at {:s}, from {:s} on", what, with_unit(rate), since);
}

void data_watch::passed(std::uint64_t samples)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_last = clock::now();
    d_passed += samples;
    if (d_at_first == 0) {
        d_first = d_last;
        d_at_first = d_passed;
    }
}

// Of the data since the first block, which tells only when it came. "" of that alone.
std::string data_watch::speed() const
{
    const std::chrono::duration<double> took = d_last - d_first;
    if (!(took.count() > 0) || d_at_first == 0) {
        return "";
    }
    const double rate = static_cast<double>(d_passed - d_at_first) / took.count();
    std::ostringstream s;
    s.precision(3);
    s << ", " << with_unit(rate);
    if (d_rate > 0) {
        s << ", " << rate / d_rate << " times real time";
    }
    return s.str();
}

void data_watch::look_at_rate()
{
    if (!d_speed_logged && d_at_first > 0 && d_last - d_first >= timeout) {
        d_speed_logged = true;
        d_logger->info("data come{:s}", speed());
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
        } else if (!p.silent && now - p.since >= timeout) {
            p.silent = true;
            fell_silent.push_back(k);
        }
    }
    say(fell_silent, true);
    say(spoke_again, false);
    look_at_rate();
}

void data_watch::say(const std::vector<std::size_t>& which, bool silent)
{
    if (which.empty()) {
        return;
    }
    std::string ports = d_noun.empty() ? "" : " on " + d_noun;
    ports += which.size() > 1 ? "s" : "";
    for (std::size_t n = 0; n < which.size() && !d_noun.empty(); ++n) {
        ports += (n > 0 ? ", " : " ") + std::to_string(which[n]);
    }
    if (silent) {
        d_logger->warn("no data for {:d} s{:s}{:s}{:s}",
                       timeout.count(),
                       ports,
                       speed().empty() ? "" : "; until then",
                       speed().empty() ? "" : speed().substr(1));
    } else {
        d_logger->info("data again{:s}", ports);
        d_at_first = 0; // the rate is measured anew
        d_speed_logged = false;
    }
}

} // namespace gr::fringe
