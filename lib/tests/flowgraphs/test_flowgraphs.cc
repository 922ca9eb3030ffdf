/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Flowgraphs that are started and stopped again and again, and changed while they run. After each
// stop every block is given its block_detail anew, as the next start() of GNU Radio does it with
// another: a thread that outlives stop() and reads it is a race that ThreadSanitizer sees, since
// this write, unlike GNU Radio's own, is compiled here.

#include "blocks/live/ring_sink.h"
#include "ends.h"
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <gnuradio/fringe/channelizer.h>
#include <gnuradio/fringe/fx_engine.h>
#include <gnuradio/fringe/integrator.h>
#include <gnuradio/fringe/stack.h>
#include <gnuradio/fringe/threads.h>
#include <gnuradio/fringe/udp_source.h>
#include <gnuradio/fringe/unpack.h>
#include <gnuradio/fringe/xengine.h>
#include <gnuradio/top_block.h>
#include <thread>

using namespace gr::fringe;

namespace {

constexpr int runs = 50;
constexpr std::size_t inputs = 4, channels = 64, spectra = 16, dump = 100;
constexpr std::size_t samples = channels * spectra, baselines = inputs * (inputs + 1) / 2;
constexpr int values = channels * baselines;
const std::vector<int> dump_bytes{8 * values, 4 * values};

struct flowgraph {
    gr::top_block_sptr top = gr::make_top_block("test_flowgraphs");
    std::vector<gr::block_sptr> blocks;
    std::shared_ptr<counting_sink> sink;

    // Each block's first output to the next one's first input.
    void chain(const std::vector<gr::block_sptr>& all)
    {
        for (std::size_t n = 1; n < all.size(); ++n) {
            top->connect(all[n - 1], 0, all[n], 0);
        }
        blocks.insert(blocks.end(), all.begin(), all.end());
    }
    void end_with(const gr::block_sptr& last, const std::vector<int>& item_bytes)
    {
        sink = gnuradio::make_block_sptr<counting_sink>(item_bytes);
        for (int port = 0; port < static_cast<int>(item_bytes.size()); ++port) {
            top->connect(last, port, sink, port);
        }
    }
    void replace_details()
    {
        for (const auto& block : blocks) {
            block->set_detail(block->detail());
        }
    }
};

void a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// Something comes out at the end, however slow a sanitizer makes the blocks.
void one_long_run(flowgraph& f)
{
    f.top->start();
    for (int turn = 0; turn < 1000 && f.sink->items() == 0; ++turn) {
        a_while();
    }
    f.top->stop();
    f.top->wait();
    BOOST_TEST(f.sink->items() > 0U);
}

void start_and_stop(flowgraph& f)
{
    for (int run = 0; run < runs; ++run) {
        f.top->start();
        a_while();
        f.top->stop();
        f.top->wait();
        f.replace_details();
    }
}

void lock_and_unlock(flowgraph& f)
{
    f.top->start();
    for (int run = 0; run < runs; ++run) {
        a_while();
        f.top->lock();
        f.top->unlock();
    }
    f.top->stop();
    f.top->wait();
    f.replace_details();
}

gr::block_sptr raw_samples()
{
    return gnuradio::make_block_sptr<counting_source>(2 * inputs * samples);
}

gr::block_sptr integrator_of_sums()
{
    return integrator::make(inputs, channels, "f32", 0, dump, 0, "cpu");
}

flowgraph stages()
{
    flowgraph f;
    f.chain(
        {raw_samples(),
         unpack::make("ci8", inputs, samples, "auto", 1, {}, "cpu"),
         channelizer::make(
             inputs, channels, spectra, true, "i8", 4, "hann", "none", {}, {}, {}, "cpu"),
         xengine::make(inputs, channels, spectra, "f32", 64, 0, dump, 0, "cpu"),
         integrator_of_sums()});
    f.end_with(f.blocks.back(), dump_bytes);
    return f;
}

flowgraph engine()
{
    flowgraph f;
    f.chain({raw_samples(),
             fx_engine::make("ci8",
                             inputs,
                             channels,
                             spectra,
                             4,
                             "hann",
                             "none",
                             {},
                             {},
                             {},
                             1,
                             {},
                             0,
                             dump,
                             0,
                             nullptr,
                             std::nullopt,
                             "cpu",
                             nullptr,
                             2),
             integrator_of_sums()});
    f.end_with(f.blocks.back(), dump_bytes);
    return f;
}

// Streams of a receiver each, put in step.
flowgraph stacked()
{
    flowgraph f;
    const auto all = stack::make(inputs, samples, 1e6);
    for (std::size_t n = 0; n < inputs; ++n) {
        const auto source = gnuradio::make_block_sptr<counting_source>(8);
        f.top->connect(source, 0, all, static_cast<int>(n));
        f.blocks.push_back(source);
    }
    f.blocks.push_back(all);
    f.end_with(all, {static_cast<int>(8 * inputs * samples)});
    return f;
}

// Waits for packets that do not come: its threads are those of sockets and of the log.
flowgraph packets()
{
    flowgraph f;
    f.blocks.push_back(udp_source::make(
        {"127.0.0.1:0"}, 1, samples, "vdif", {{"sample_rate", "1e6"}, {"bits", "8"}}));
    f.end_with(
        f.blocks[0],
        {static_cast<int>(f.blocks[0]->output_signature()->sizeof_stream_item(0))});
    return f;
}

// Items with a time; one after the other goes into a ring, of which threads take what they can.
struct ring_of_items {
    static constexpr std::size_t bytes = 2 * inputs * samples;
    std::shared_ptr<item_ring> ring = std::make_shared<item_ring>(bytes, 8, 2);
    std::shared_ptr<ring_times> times = std::make_shared<ring_times>(samples, 1e6);
    std::shared_ptr<ring_sink> sink =
        gnuradio::make_block_sptr<ring_sink>(ring, times, "raw samples", stream_fields());
    flowgraph f;
    std::atomic<std::size_t> taken{0};

    ring_of_items()
    {
        f.chain({gnuradio::make_block_sptr<dated_source>(bytes, samples, 1e6), sink});
    }
    // A dump of ten items, as far as they are there.
    void dump()
    {
        sink->begin_dump();
        for (std::uint64_t next = ring->first(), end = next + 10; next < end;) {
            if (!ring->wait_for(next, 0.01)) {
                if (ring->ended()) {
                    break;
                }
                continue;
            }
            const auto its = times->item(next);
            if (const std::uint8_t* item = ring->hold(next)) {
                taken += its && std::all_of(item, item + bytes, [&](std::uint8_t b) {
                             return b == item[0];
                         });
                ring->release(item);
            }
            next = std::max(next + 1, ring->first());
        }
        sink->end_dump(pmt::intern("done"));
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(voltage_ring_dumped_started_and_stopped)
{
    ring_of_items all;
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k) {
        threads.emplace_back([&] {
            while (!ended) {
                if (all.ring->ended()) {
                    std::this_thread::yield();
                } else {
                    all.dump();
                }
            }
        });
    }
    start_and_stop(all.f);
    lock_and_unlock(all.f);
    ended = true;
    for (std::thread& t : threads) {
        t.join();
    }
    BOOST_TEST(all.sink->busy() == 0U);
    BOOST_TEST(flowgraph_failure(*all.sink) == "");
    BOOST_TEST(all.taken > 0U);
    BOOST_TEST(all.ring->next() > 8U);
}

BOOST_AUTO_TEST_CASE(stages_started_and_stopped)
{
    auto f = stages();
    start_and_stop(f);
    one_long_run(f);
}

BOOST_AUTO_TEST_CASE(stages_changed_while_they_run)
{
    auto f = stages();
    lock_and_unlock(f);
    one_long_run(f);
}

BOOST_AUTO_TEST_CASE(fx_engine_started_and_stopped)
{
    auto f = engine();
    start_and_stop(f);
    one_long_run(f);
}

BOOST_AUTO_TEST_CASE(fx_engine_changed_while_it_runs)
{
    auto f = engine();
    lock_and_unlock(f);
    one_long_run(f);
}

BOOST_AUTO_TEST_CASE(stack_started_and_stopped)
{
    auto f = stacked();
    start_and_stop(f);
    one_long_run(f);
}

BOOST_AUTO_TEST_CASE(udp_source_started_and_stopped)
{
    auto f = packets();
    start_and_stop(f);
    BOOST_TEST(f.sink->items() == 0U);
}
