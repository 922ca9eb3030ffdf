/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/udp_capture.h"
#include "kernels/base/require.h"
#include "kernels/base/thread_name.h"
#include <algorithm>
#include <cmath>
#include <pthread.h>

namespace gr::fringe::io {

namespace {

const std::string me = "udp_source";
// Slots are closed, too, when no packet has come for this time, or for this number of windows.
constexpr double min_timeout = 1; // s
constexpr double timeout_windows = 10;
constexpr double min_buffered = 16; // slots
constexpr std::chrono::milliseconds between_looks{250};

fringe::epoch clock_now()
{
    const auto t = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t).count();
    return fringe::epoch().plus_samples(ns, 1e9);
}

std::size_t slots(const packet_layout& layout, double seconds, double least)
{
    const double packets =
        seconds * layout.sample_rate() / static_cast<double>(layout.samples);
    return static_cast<std::size_t>(std::max(std::ceil(packets), least));
}

std::size_t
capacity(const packet_layout& layout, std::size_t parts, const capture_sizes& sizes)
{
    require(sizes.window_seconds > 0 && sizes.window_seconds <= 60,
            me,
            "window_seconds",
            sizes.window_seconds,
            "must be positive, up to 60");
    require(sizes.buffer_seconds > 0 && sizes.buffer_seconds <= 3600,
            me,
            "buffer_seconds",
            sizes.buffer_seconds,
            "must be positive, up to 3600");
    const double all =
        static_cast<double>(slots(layout, sizes.window_seconds, 2)) * 2 +
        std::max(static_cast<double>(slots(layout, sizes.buffer_seconds, min_buffered)),
                 2.0 * static_cast<double>(sizes.block_samples / layout.samples + 1));
    const double bytes = all * static_cast<double>(parts) *
                         static_cast<double>(layout.payload_bytes() + 64);
    require(bytes <= capture_sizes::max_bytes,
            me,
            "buffer_seconds",
            sizes.buffer_seconds,
            "would take " + std::to_string(static_cast<std::uint64_t>(bytes * 1e-9)) +
                " GB with the window; at most 64 GB are used");
    return static_cast<std::size_t>(all);
}

// A core that there is not, or that this program may not use, changes nothing.
void bind_to_core(std::thread& thread, unsigned core)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(core, &cpus);
    pthread_setaffinity_np(thread.native_handle(), sizeof(cpus), &cpus);
}

} // namespace

/*!
 * The packets that an engine has read at once. Their headers are read by each thread for
 * itself; their places are found by one thread at a time; and they are copied by each for
 * itself again.
 */
class udp_capture::batch : public packet_taker
{
public:
    batch(udp_capture& capture, std::size_t reader)
        : d_capture(capture), d_reader(reader), d_parser(capture.d_receiver.parser())
    {
    }

    void begin() { d_now = clock_now(); }
    void take(const std::uint8_t* packet, std::size_t size) override
    {
        d_packets.push_back({parse(packet, size), size});
        if (d_packets.size() == max_packets) { // They are still in the cache.
            flush();
        }
    }
    void take_foreign() override
    {
        std::lock_guard<std::mutex> lock(d_capture.d_mutex);
        d_capture.d_receiver.take_foreign();
    }
    void take_cut() override
    {
        std::lock_guard<std::mutex> lock(d_capture.d_mutex);
        d_capture.d_receiver.take_cut();
    }
    void flush() override
    {
        if (d_packets.empty()) {
            return;
        }
        {
            std::lock_guard<std::mutex> lock(d_capture.d_mutex);
            for (const arrived& came : d_packets) {
                d_orders.push_back(d_capture.d_receiver.sort_in(
                    came.packet, came.size, d_now, d_reader));
            }
        }
        for (const copy_order& order : d_orders) {
            d_capture.d_window.carry_out(order);
        }
        d_packets.clear();
        d_orders.clear();
        std::lock_guard<std::mutex> lock(d_capture.d_mutex);
        d_capture.d_window.copied(d_reader);
    }

private:
    static constexpr std::size_t max_packets = 256;
    struct arrived {
        parsed_packet packet;
        std::size_t size;
    };

    // The parser that all share, until it is known which stream is received.
    parsed_packet parse(const std::uint8_t* packet, std::size_t size)
    {
        if (d_parser.chosen()) {
            return d_parser.parse(packet, size);
        }
        std::lock_guard<std::mutex> lock(d_capture.d_mutex);
        packet_parser& shared = d_capture.d_receiver.parser();
        const parsed_packet parsed = shared.parse(packet, size);
        if (shared.chosen()) {
            d_parser = shared;
        }
        return parsed;
    }

    udp_capture& d_capture;
    const std::size_t d_reader;
    packet_parser d_parser;
    fringe::epoch d_now;
    std::vector<arrived> d_packets;
    std::vector<copy_order> d_orders;
};

udp_capture::udp_capture(const udp_settings& where,
                         const packet_layout& layout,
                         std::size_t parts,
                         const capture_sizes& sizes,
                         const std::vector<unsigned>& cores)
    : d_parts(parts),
      d_sockets(where),
      d_engines(make_packet_engines(d_sockets)),
      d_cores(cores),
      d_window(layout,
               parts,
               slots(layout, sizes.window_seconds, 2),
               capacity(layout, parts, sizes),
               where.threads),
      d_receiver(packet_parser(layout, parts), d_window, parts),
      d_timeout(std::max(timeout_windows * sizes.window_seconds, min_timeout)),
      d_kernel_dropped(where.threads)
{
}

double udp_capture::window_seconds() const
{
    return static_cast<double>(d_window.window() * layout().samples) /
           layout().sample_rate();
}

void udp_capture::start(std::function<void()> look)
{
    stop();
    d_stop = false;
    d_look = std::move(look);
    d_placed_at = clock::now();
    d_done = 0;
    for (std::size_t reader = 0; reader < d_engines.size(); ++reader) {
        d_threads.emplace_back([this, reader] {
            name_thread("fringe_receiver");
            run(reader);
        });
        if (!d_cores.empty()) {
            bind_to_core(d_threads.back(), d_cores[reader % d_cores.size()]);
        }
    }
}

void udp_capture::stop()
{
    d_stop = true;
    for (std::thread& thread : d_threads) {
        thread.join();
    }
    d_threads.clear();
    d_window.withdraw();
}

void udp_capture::run(std::size_t reader)
{
    batch packets(*this, reader);
    auto looked = clock::now();
    bool done = false;
    while (!d_stop) {
        if (!d_finish) {
            packets.begin();
            d_engines[reader]->serve(packets);
            std::lock_guard<std::mutex> lock(d_mutex);
            d_window.close(false);
            close_in_time(clock::now());
        } else if (!done) {
            end_in_turn();
            done = true;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        const auto now = clock::now();
        if (now - looked >= between_looks) {
            looked = now;
            look(reader);
        }
    }
    d_kernel_dropped[reader] = d_engines[reader]->dropped();
}

void udp_capture::look(std::size_t reader)
{
    d_kernel_dropped[reader] = d_engines[reader]->dropped();
    if (reader == 0 && d_look) {
        d_look();
    }
}

// The last of the readers ends the data.
void udp_capture::end_in_turn()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (++d_done == d_engines.size()) {
        d_receiver.end();
        d_window.end();
    }
}

void udp_capture::close_in_time(clock::time_point now)
{
    if (d_receiver.placed() != d_placed) {
        d_placed = d_receiver.placed();
        d_placed_at = now;
    } else if (now - d_placed_at >= d_timeout) {
        d_window.close(true);
    }
}

packet_receiver::strays udp_capture::left_out() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_receiver.left_out();
}

std::map<std::size_t, double> udp_capture::ahead() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::map<std::size_t, double> parts;
    for (std::size_t part = 0; part < d_parts; ++part) {
        const std::int64_t slots = d_window.front().lead(part);
        if (slots > static_cast<std::int64_t>(d_window.window())) {
            parts[part] = static_cast<double>(slots) *
                          static_cast<double>(layout().samples) / layout().sample_rate();
        }
    }
    return parts;
}

packet_counts udp_capture::counts() const
{
    packet_counts all = d_receiver.counts();
    for (const auto& dropped : d_kernel_dropped) {
        all.kernel_dropped += dropped;
    }
    return all;
}

} // namespace gr::fringe::io
