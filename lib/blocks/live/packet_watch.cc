/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/packet_watch.h"
#include <cmath>
#include <utility>

namespace gr::fringe {

namespace {

constexpr std::chrono::seconds silence_after{5};
constexpr std::size_t max_warnings = 100;

std::uint64_t bad(const io::packet_counts& c)
{
    return c.missing + c.late + c.garbled + c.dropped + c.kernel_dropped;
}

std::uint64_t more(std::uint64_t now, std::uint64_t before)
{
    return now > before ? now - before : 0;
}

} // namespace

packet_watch::packet_watch(const io::udp_capture& capture, gr::logger_ptr logger)
    : d_capture(capture), d_logger(std::move(logger)), d_before(capture.counts())
{
    d_good = d_before.good;
}

std::string packet_watch::in_words(const io::packet_counts& counts)
{
    std::string words = std::to_string(counts.good) + " good";
    const auto add = [&](std::uint64_t n, const char* what) {
        words += n > 0 ? ", " + std::to_string(n) + " " + what : "";
    };
    add(counts.missing, "missing");
    add(counts.late, "late");
    add(counts.duplicate, "that came twice");
    add(counts.garbled, "garbled");
    add(counts.dropped, "dropped, as the flowgraph is too slow");
    add(counts.foreign, "of other senders, sources or channels");
    add(counts.kernel_dropped, "dropped by the kernel, as its buffer was full");
    return words;
}

// What the usual reasons are depends on what has come instead.
std::string packet_watch::silence(const io::packet_counts& counts) const
{
    const io::udp_sockets& sockets = d_capture.sockets();
    const io::packet_layout& layout = d_capture.layout();
    const std::string none = "No packets for " + std::to_string(silence_after.count()) +
                             " s on " + sockets.names() + ": ";
    if (more(counts.garbled, d_before.garbled) > 0) {
        return none + "what comes is not of layout " + layout.name +
               "; the last wrong one has " + std::to_string(d_capture.wrong_size()) +
               " bytes, and " + std::to_string(layout.packet_bytes()) +
               " were expected. Usual reasons: another preset, or settings that are not "
               "the senders'";
    }
    if (more(counts.foreign, d_before.foreign) > 0) {
        return none +
               "what comes is of senders, sources or channels that are not "
               "received. Usual reasons: the number of inputs, the setting sources, "
               "the channel, the list of senders";
    }
    return none +
           "nothing comes. Usual reasons: the senders are off, or send to another "
           "address or port; a firewall; " +
           (sockets.multicast()
                ? "another interface than the one that the group comes in by, or a "
                  "switch "
                  "that has not learned yet that it is wanted here"
                : "an address that only programs of this computer reach, as 127.0.0.1 "
                  "is; "
                  "a multicast group, which must be named as the address");
}

// The inputs of a part of the packets, by their numbers.
std::string packet_watch::input(std::size_t part) const
{
    const io::packet_layout& layout = d_capture.layout();
    const std::size_t first = part / layout.channel_blocks() * layout.streams;
    return layout.streams == 1 ? "input " + std::to_string(first)
                               : "inputs " + std::to_string(first) + " to " +
                                     std::to_string(first + layout.streams - 1);
}

// Who does not agree with the time of most.
void packet_watch::look_at_times()
{
    for (const auto& [part, seconds] : d_capture.ahead()) {
        warn(fmt::format("{:s}: the time of its packets is {:.6g} s ahead of most: they "
                         "wait in the buffer; look at the sender's clock",
                         input(part),
                         seconds));
    }
    const auto strays = d_capture.left_out();
    if (strays.packets > d_left_out) {
        warn(fmt::format("{:d} packets, the last of {:s}, are left out: its time is "
                         "{:.6g} s {:s} that of most",
                         strays.packets - d_left_out,
                         input(strays.part),
                         std::abs(strays.ahead),
                         strays.ahead < 0 ? "behind" : "ahead of"));
    }
    d_left_out = strays.packets;
}

void packet_watch::look()
{
    const auto now = clock::now();
    const io::packet_counts counts = d_capture.counts();
    if (counts.good != d_good) {
        d_good = counts.good;
        d_heard = now;
        if (d_silent) {
            d_silent = false;
            d_logger->info("packets again");
        }
    } else if (!d_silent && now - d_heard >= silence_after) {
        d_silent = true;
        warn(silence(counts));
    }
    if (now - d_reported < silence_after) {
        return;
    }
    d_reported = now;
    look_at_times();
    if (bad(counts) > bad(d_before)) {
        io::packet_counts since;
        since.good = more(counts.good, d_before.good);
        since.missing = more(counts.missing, d_before.missing);
        since.late = more(counts.late, d_before.late);
        since.duplicate = more(counts.duplicate, d_before.duplicate);
        since.garbled = more(counts.garbled, d_before.garbled);
        since.dropped = more(counts.dropped, d_before.dropped);
        since.foreign = more(counts.foreign, d_before.foreign);
        since.kernel_dropped = more(counts.kernel_dropped, d_before.kernel_dropped);
        const std::string advice = d_capture.advice();
        warn("packets of the last " + std::to_string(silence_after.count()) +
             " s: " + in_words(since) +
             (since.kernel_dropped > 0 && !advice.empty() ? "; " + advice : ""));
    }
    d_before = counts;
}

void packet_watch::warn(const std::string& sentence)
{
    d_logger->warn("{:s}", sentence);
    std::lock_guard<std::mutex> lock(d_mutex);
    if (d_warnings.size() == max_warnings) {
        d_warnings.erase(d_warnings.begin());
    }
    d_warnings.push_back(sentence);
}

std::vector<std::string> packet_watch::take_warnings()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return std::exchange(d_warnings, {});
}

void packet_watch::say_end()
{
    d_logger->info("end: packets: {:s}", in_words(d_capture.counts()));
}

} // namespace gr::fringe
