/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_FLOWGRAPHS_ENDS_H
#define INCLUDED_FRINGE_TESTS_FLOWGRAPHS_ENDS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <vector>

//! A source without an end: bytes that count.
class counting_source : public gr::sync_block
{
public:
    explicit counting_source(std::size_t item_bytes)
        : gr::sync_block("counting_source",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, static_cast<int>(item_bytes))),
          d_bytes(item_bytes)
    {
    }

    int work(int items, gr_vector_const_void_star&, gr_vector_void_star& out) override
    {
        auto* bytes = static_cast<std::uint8_t*>(out[0]);
        std::generate_n(bytes, static_cast<std::size_t>(items) * d_bytes, [this] {
            return static_cast<std::uint8_t>(d_next++);
        });
        return items;
    }

private:
    const std::size_t d_bytes;
    unsigned d_next = 0;
};

//! A source without an end whose items are of one value each, with the times of samples.
class dated_source : public gr::sync_block
{
public:
    dated_source(std::size_t item_bytes, std::size_t samples, double rate)
        : gr::sync_block("dated_source",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, static_cast<int>(item_bytes))),
          d_bytes(item_bytes),
          d_samples(samples),
          d_rate(rate)
    {
    }

    int work(int items, gr_vector_const_void_star&, gr_vector_void_star& out) override
    {
        if (nitems_written(0) == 0) { // a new run, behind a gap
            d_sent += 3;
            const gr::fringe::epoch start{1780000000, 0};
            const auto now =
                start.plus_samples(static_cast<std::int64_t>(d_sent * d_samples), d_rate);
            add_item_tag(0,
                         0,
                         pmt::mp("rx_time"),
                         pmt::make_tuple(pmt::from_uint64(now.seconds),
                                         pmt::from_double(now.fraction())));
        }
        for (int k = 0; k < items; ++k) {
            std::memset(static_cast<std::uint8_t*>(out[0]) +
                            static_cast<std::size_t>(k) * d_bytes,
                        static_cast<int>(d_sent++ % 251),
                        d_bytes);
        }
        return items;
    }

private:
    const std::size_t d_bytes, d_samples;
    const double d_rate;
    std::uint64_t d_sent = 0;
};

//! Takes any number of streams of the same items, and counts what came by the first of them.
class counting_sink : public gr::sync_block
{
public:
    explicit counting_sink(const std::vector<int>& item_bytes)
        : gr::sync_block("counting_sink",
                         gr::io_signature::makev(static_cast<int>(item_bytes.size()),
                                                 static_cast<int>(item_bytes.size()),
                                                 item_bytes),
                         gr::io_signature::make(0, 0, 0))
    {
    }

    std::uint64_t items() const { return d_items; }

    int work(int items, gr_vector_const_void_star&, gr_vector_void_star&) override
    {
        d_items += static_cast<std::uint64_t>(items);
        return items;
    }

private:
    std::atomic<std::uint64_t> d_items{0};
};

#endif /* INCLUDED_FRINGE_TESTS_FLOWGRAPHS_ENDS_H */
