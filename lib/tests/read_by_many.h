/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_READ_BY_MANY_H
#define INCLUDED_FRINGE_TESTS_READ_BY_MANY_H

#include "io/recordings/recording.h"
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

//! A stretch of a recording, and what reading it gave.
struct read_stretch {
    std::uint64_t first;
    std::size_t count;
    std::vector<std::uint8_t> samples;
    std::vector<gr::fringe::io::lost_samples> lost;

    void read(const gr::fringe::io::recording& file, std::size_t bytes)
    {
        samples.assign(bytes, 0xee);
        lost.clear();
        file.read(first, count, samples.data(), &lost);
    }
    bool same(const read_stretch& o) const
    {
        return samples == o.samples &&
               std::equal(lost.begin(),
                          lost.end(),
                          o.lost.begin(),
                          o.lost.end(),
                          [](const auto& a, const auto& b) {
                              return a.stream == b.stream && a.first == b.first &&
                                     a.count == b.count && a.cause == b.cause;
                          });
    }
};

//! That threads which read one recording in any order and at once get what one reader of
//! its own gets that goes from the start to the end.
inline void check_read_by_many(const std::string& path,
                               const std::string& format,
                               std::size_t streams,
                               unsigned seed)
{
    namespace io = gr::fringe::io;
    const io::recording_format& f = io::format_by_name(format);
    const auto alone = f.open(path, {streams}), shared = f.open(path, {streams});
    const auto& info = alone->info();
    const auto& encoding = io::encoding_of(f, info);
    std::mt19937_64 random(seed);
    std::vector<read_stretch> wanted;
    const std::uint64_t units = info.samples / f.granule;
    for (unsigned k = 0; k < 300; k++) {
        const std::uint64_t a = random() % units, b = random() % units;
        const std::uint64_t longest = k % 3 ? 40 : units; // short ones, and any
        const std::uint64_t from = std::min(a, b);
        const std::uint64_t count = std::min(std::max(a, b) - from + 1, longest);
        wanted.push_back(
            {from * f.granule, static_cast<std::size_t>(count * f.granule), {}, {}});
    }
    std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (auto& w : wanted)
        w.read(*alone, encoding.bytes(info.streams, w.count));

    std::vector<std::size_t> order(wanted.size());
    for (std::size_t k = 0; k < order.size(); k++)
        order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    std::atomic<std::size_t> next{0}, wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&] {
            for (std::size_t k; (k = next++) < order.size();) {
                const auto& w = wanted[order[k]];
                read_stretch got{w.first, w.count, {}, {}};
                got.read(*shared, w.samples.size());
                wrong += !got.same(w);
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_CHECK_EQUAL(wrong, 0u);
}

#endif /* INCLUDED_FRINGE_TESTS_READ_BY_MANY_H */
