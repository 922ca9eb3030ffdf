/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/tcp_receivers.h"
#include "io/mwa32t_group.h"
#include <algorithm>

namespace gr {
namespace fringe {

namespace {

constexpr std::chrono::milliseconds patience{100};
// Number of the first group of all: far enough from 0 for receivers that are behind.
constexpr std::uint64_t first_number = std::uint64_t(1) << 20;
constexpr std::uint64_t many_unsound = 1000;

epoch now_by_clock()
{
    const auto t = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t).count();
    return epoch().plus_samples(ns, 1e9);
}

} // namespace

tcp_receivers::tcp_receivers(const std::vector<std::string>& addresses,
                             bool listen,
                             std::size_t block_samples,
                             std::size_t capacity,
                             double sample_rate,
                             const std::optional<epoch>& start_time)
    : d_block(block_samples),
      d_rate(sample_rate),
      d_start(start_time),
      d_streams(addresses, listen),
      d_receivers(addresses.size()),
      d_buffer(addresses.size(), block_samples, capacity),
      d_watch("receiver", addresses.size())
{
}

void tcp_receivers::start(gr::logger_ptr logger)
{
    stop();
    d_logger = logger;
    d_stop = false;
    d_watch.start(logger);
    d_thread = std::thread([this] {
        while (!d_stop) {
            d_streams.serve(*this);
        }
    });
}

void tcp_receivers::stop()
{
    d_stop = true;
    if (d_thread.joinable()) {
        d_thread.join();
    }
    d_watch.stop();
}

void tcp_receivers::finish()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = d_stop = true;
    d_ready.notify_all();
}

std::vector<unsigned> tcp_receivers::ports() const
{
    std::vector<unsigned> list;
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        list.push_back(d_streams.port(k));
    }
    return list;
}

std::size_t tcp_receivers::connected() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return static_cast<std::size_t>(
        std::count_if(d_receivers.begin(), d_receivers.end(), [](const receiver& r) {
            return r.connected && r.live;
        }));
}

epoch tcp_receivers::start_time() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_start.value_or(epoch());
}

std::vector<std::uint64_t> tcp_receivers::missing() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<std::uint64_t> all;
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        all.insert(all.end(), io::mwa32t::streams, d_buffer.missing(k));
    }
    return all;
}

std::vector<std::uint64_t> tcp_receivers::dropped() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<std::uint64_t> all;
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        all.insert(all.end(), io::mwa32t::streams, d_buffer.dropped(k));
    }
    return all;
}

std::optional<std::size_t> tcp_receivers::take(std::uint8_t* out,
                                               std::vector<io::lost_samples>& lost)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    d_ready.wait_for(lock, patience, [this] { return d_ended || d_buffer.ready(); });
    const bool whole = d_buffer.ready();
    if (!whole && !d_ended) {
        return std::nullopt;
    }
    const std::size_t count = whole ? d_block : d_buffer.rest();
    if (count == 0) {
        return 0;
    }
    if (!d_told) { // all of it came with the end
        begin();
    }
    d_buffer.take(count, out, lost);
    d_watch.passed(count);
    return count;
}

bool tcp_receivers::all_came() const
{
    return std::all_of(d_receivers.begin(), d_receivers.end(), [](const receiver& r) {
        return r.ever_connected;
    });
}

void tcp_receivers::opened(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.restart();
    r.connected = r.ever_connected = true;
    r.live = r.complained = false;
    r.unsound_before = r.groups.unsound();
    r.since = r.since == clock::time_point() ? clock::now() : r.since;
    d_buffer.set_present(k, true);
    d_logger->info("receiver {:d}: connected", k);
}

io::group_follower::sink tcp_receivers::put(std::size_t k)
{
    return [this, k](std::uint64_t number, const std::uint8_t* samples) {
        d_buffer.put(k, number, samples);
    };
}

// Number of the next group of a receiver that has just connected: what the others are at,
// else what the time since its last one says.
std::uint64_t tcp_receivers::expected(std::size_t k) const
{
    std::uint64_t newest = 0;
    for (std::size_t j = 0; j < d_receivers.size(); ++j) {
        if (j != k && d_receivers[j].connected && d_receivers[j].live) {
            newest = std::max(newest, d_buffer.head(j));
        }
    }
    if (newest > 0) {
        return newest;
    }
    if (!d_buffer.heard(k)) {
        return first_number;
    }
    const std::chrono::duration<double> away = clock::now() - d_receivers[k].since;
    return d_buffer.head(k) + static_cast<std::uint64_t>(away.count() * d_rate);
}

void tcp_receivers::begin()
{
    d_told = true;
    d_start = d_start.value_or(now_by_clock());
    d_watch.began(std::to_string(d_receivers.size()) + " receivers in step",
                  d_rate,
                  d_start->iso(6));
}

void tcp_receivers::received(std::size_t k, const std::uint8_t* bytes, std::size_t count)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    d_watch.arrived(k);
    if (!r.live) {
        r.groups.skip(bytes, count);
        // A sender that never pauses is never drained.
        r.live = all_came() && clock::now() - r.since > patience;
        return;
    }
    r.groups.feed(bytes, count, expected(k), put(k));
    r.since = clock::now();
    if (!r.complained && r.groups.unsound() - r.unsound_before >= many_unsound) {
        r.complained = true;
        d_logger->error("receiver {:d}: the first word of every 17 does not count up by "
                        "one; groups of a counter and 16 samples were expected",
                        k);
    }
    if (!d_told && d_buffer.begun()) {
        begin();
    }
    if (d_buffer.ready()) {
        d_ready.notify_all();
    }
}

void tcp_receivers::drained(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_receivers[k].live = d_receivers[k].live || all_came();
}

void tcp_receivers::closed(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.finish(put(k));
    r.connected = false;
    d_buffer.set_present(k, false);
    d_logger->info("receiver {:d}: the connection has ended", k);
    const bool alone = std::none_of(d_receivers.begin(),
                                    d_receivers.end(),
                                    [](const receiver& one) { return one.connected; });
    d_ended = d_ended || (alone && all_came());
    d_stop = d_stop || d_ended;
    d_ready.notify_all();
}

} // namespace fringe
} // namespace gr
