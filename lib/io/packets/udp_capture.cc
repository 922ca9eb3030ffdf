/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/udp_capture.h"
#include "kernels/require.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace io {

namespace {

const std::string me = "udp_source";
// Slots are closed, too, when no packet has come for so long, or for so many windows.
constexpr double min_patience = 1; // s
constexpr double patience_windows = 10;
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
        static_cast<double>(slots(layout, sizes.buffer_seconds, min_buffered));
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

} // namespace

udp_capture::udp_capture(const udp_settings& where,
                         const packet_layout& layout,
                         std::size_t parts,
                         const capture_sizes& sizes)
    : d_parts(parts),
      d_sockets(where),
      d_engine(make_packet_engine(where.engine, d_sockets)),
      d_window(layout,
               parts,
               slots(layout, sizes.window_seconds, 2),
               capacity(layout, parts, sizes)),
      d_receiver(packet_parser(layout, parts), d_window, parts),
      d_patience(std::max(patience_windows * sizes.window_seconds, min_patience))
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
    d_thread = std::thread([this] { run(); });
}

void udp_capture::stop()
{
    d_stop = true;
    if (d_thread.joinable()) {
        d_thread.join();
    }
}

void udp_capture::run()
{
    auto looked = clock::now();
    while (!d_stop) {
        if (!d_finish) {
            receive();
        } else if (!d_ended) {
            d_receiver.end();
            d_window.end();
            d_ended = true;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        const auto now = clock::now();
        if (now - looked >= between_looks) {
            looked = now;
            d_kernel_dropped = d_engine->dropped();
            if (d_look) {
                d_look();
            }
        }
    }
    d_kernel_dropped = d_engine->dropped();
}

void udp_capture::receive()
{
    const fringe::epoch now = clock_now();
    d_engine->serve([&](const std::uint8_t* packet, std::size_t size) {
        if (packet) {
            d_receiver.take(packet, size, now);
        } else if (size > 0) {
            d_receiver.take_foreign();
        } else {
            d_receiver.take_cut();
        }
    });
    d_window.close(false);
    close_in_time(clock::now());
}

void udp_capture::close_in_time(clock::time_point now)
{
    if (d_receiver.placed() != d_placed) {
        d_placed = d_receiver.placed();
        d_placed_at = now;
    } else if (now - d_placed_at >= d_patience) {
        d_window.close(true);
    }
}

packet_counts udp_capture::counts() const
{
    packet_counts all = d_receiver.counts();
    all.kernel_dropped = d_kernel_dropped;
    return all;
}

} // namespace io
} // namespace fringe
} // namespace gr
