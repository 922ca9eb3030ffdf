/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/tcp_receivers.h"
#include "io/recordings/mwa32t_group.h"
#include <algorithm>

namespace gr::fringe {

namespace {

constexpr std::chrono::milliseconds timeout{100};
// Number of the first group of all: far enough from 0 for receivers that are behind.
constexpr std::uint64_t first_number = std::uint64_t(1) << 20;
constexpr std::uint64_t many_unsound = 1000;
// One that has brought no group for so long makes room for another client.
constexpr std::chrono::seconds dead{2};
// The log has refused clients at most as often.
constexpr std::chrono::seconds between_refusals{5};
constexpr double max_held = 0.5; // s

double seconds_of(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(t.time_since_epoch()).count();
}

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
      d_aligner(addresses.size(),
                sample_rate,
                std::min(max_held, static_cast<double>(capacity) / sample_rate / 4)),
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
            align();
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
    d_ready.wait_for(lock, timeout, [this] { return d_ended || d_buffer.ready(); });
    const bool whole = d_buffer.ready();
    if (!whole && !d_ended) {
        return std::nullopt;
    }
    const std::size_t count = whole ? d_block : d_buffer.rest();
    if (count == 0) {
        return 0;
    }
    if (!d_begun) { // all of it came with the end
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

// The data end with the connections of all, not with those of a program that looks for ports.
bool tcp_receivers::all_heard() const
{
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        if (!d_buffer.heard(k)) {
            return false;
        }
    }
    return true;
}

void tcp_receivers::opened(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.restart();
    r.connected = r.ever_connected = true;
    r.live = r.complained = false;
    r.unsound_before = r.groups.unsound();
    r.heard = clock::now();
    r.since = r.since == clock::time_point() ? clock::now() : r.since;
    d_aligner.connected(k);
    d_buffer.set_present(k, true);
    d_logger->info("receiver {:d}: connected", k);
}

io::group_follower::sink tcp_receivers::put(std::size_t k)
{
    return [this, k](std::uint64_t number, const std::uint8_t* samples) {
        if (!d_aligner.holds(k)) {
            d_buffer.put(k, number, samples);
            return;
        }
        auto& held = d_receivers[k].held;
        held.push_back({number, {}});
        std::copy_n(samples, io::mwa32t::sample_bytes, held.back().samples.begin());
    };
}

// The groups of a receiver that were held, and all that come, are `turns` turns further on.
void tcp_receivers::release(std::size_t k, std::int64_t turns)
{
    receiver& r = d_receivers[k];
    const std::int64_t groups = turns * io::group_aligner::turn;
    if (turns != 0) {
        d_logger->warn("receiver {:d}: {:d} groups ({:.1f} ms) more are missing than its "
                       "counter tells, as the {:s}",
                       k,
                       groups,
                       1e3 * static_cast<double>(groups) / d_rate,
                       d_receivers.size() > 1 ? "other receivers and the clock say"
                                              : "clock says");
    }
    r.groups.shift(groups);
    for (const held_group& g : r.held) {
        const std::int64_t number = static_cast<std::int64_t>(g.number) + groups;
        if (number > 0) {
            d_buffer.put(k, static_cast<std::uint64_t>(number), g.samples.data());
        }
    }
    r.held.clear();
}

// After a look at all connections.
void tcp_receivers::align()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        if (const auto turns = d_aligner.turns(k, seconds_of(clock::now()))) {
            release(k, *turns);
        }
    }
    tell_ready();
}

void tcp_receivers::tell_ready()
{
    if (!d_begun && d_buffer.begun()) {
        begin();
    }
    if (d_buffer.ready()) {
        d_ready.notify_all();
    }
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
    d_begun = true;
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
        r.live = all_came() && clock::now() - r.since > timeout;
        return;
    }
    d_aligner.begin(k, seconds_of(clock::now()));
    const std::uint64_t before = r.groups.head();
    r.groups.feed(bytes, count, expected(k), put(k));
    r.since = clock::now();
    r.heard = r.groups.head() != before ? r.since : r.heard;
    d_aligner.end(k, r.groups.head(), seconds_of(r.since));
    if (!r.complained && r.groups.unsound() - r.unsound_before >= many_unsound) {
        r.complained = true;
        d_logger->error("receiver {:d}: the first word of every 17 does not count up by "
                        "one; groups of a counter and 16 samples were expected",
                        k);
    }
    tell_ready();
}

void tcp_receivers::drained(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_receivers[k].live = d_receivers[k].live || all_came();
    d_aligner.drained(k);
}

// A client comes while there is one.
// A client that tries again at once, or many of them, would fill the log.
void tcp_receivers::say_refused(std::size_t k, const std::string& who)
{
    receiver& r = d_receivers[k];
    const auto now = clock::now();
    if (r.refusal_logged && now - *r.refusal_logged < between_refusals) {
        ++r.refusals_unlogged;
        return;
    }
    d_logger->warn("receiver {:d}: {:s} was refused, as another is connected{:s}",
                   k,
                   who,
                   r.refusals_unlogged == 0
                       ? ""
                       : ", and " + std::to_string(r.refusals_unlogged) +
                             " more before it that the log does not have");
    r.refusal_logged = now;
    r.refusals_unlogged = 0;
}

bool tcp_receivers::gives_way(std::size_t k, const std::string& who)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    const auto silent = clock::now() - r.heard;
    if (silent < dead) {
        say_refused(k, who);
        return false;
    }
    d_logger->warn(
        "receiver {:d}: {:s} takes the place of one that has sent no group for "
        "{:.0f} s",
        k,
        who,
        std::chrono::duration<double>(silent).count());
    release(k, 0);
    return true;
}

void tcp_receivers::closed(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.finish(expected(k), put(k));
    release(k, d_aligner.left(k, seconds_of(clock::now())));
    r.connected = false;
    d_buffer.set_present(k, false);
    d_logger->info("receiver {:d}: the connection has ended", k);
    const bool alone = std::none_of(d_receivers.begin(),
                                    d_receivers.end(),
                                    [](const receiver& r) { return r.connected; });
    d_ended = d_ended || (alone && all_heard());
    d_stop = d_stop || d_ended;
    d_ready.notify_all();
}

} // namespace gr::fringe
