/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Jobs shared out among threads, and that kernels give the same bits however many there are.
#include "kernel_cases.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>

using namespace gr::fringe::kernels;
using namespace kernel_cases;
using gr::fringe::set_threads;

namespace {

//! Two calls of a channelizer made for a number of threads: spectra and clipped values.
std::pair<bytes, std::vector<std::uint64_t>>
spectra_with(int threads, const channelizer_params& p, const bytes& in)
{
    set_threads(threads);
    const auto f = make_channelizer(backend::cpu, p);
    const std::size_t samples = p.block_spectra * p.points();
    const std::size_t block = p.inputs * p.channels * p.block_spectra;
    const std::size_t item = block * (p.requantize_bits ? 2 : 8);
    bytes out(2 * item, poison);
    std::vector<std::uint64_t> clipped(p.inputs);
    for (std::size_t call = 0; call < 2; call++) {
        f->process(in.data(), samples, samples, &out[call * item], clipped.data());
    }
    return {out, clipped};
}

bytes sums_with(int threads, const xengine_params& p, const bytes& in)
{
    set_threads(threads);
    const auto x = make_xengine(backend::cpu, p);
    x->accumulate(in.data(), 0, p.block_spectra);
    x->accumulate(in.data(), 1, p.block_spectra - 2);
    bytes out(8 * p.channels * baselines(p.inputs));
    x->read(0, p.channels, out.data());
    return out;
}

struct default_threads {
    ~default_threads() { set_threads(0); }
};

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(default_threads);

BOOST_AUTO_TEST_CASE(every_part_is_done_once)
{
    for (const unsigned threads : {1u, 2u, 4u}) {
        workers all(threads);
        BOOST_TEST(all.slots() == threads);
        for (const std::size_t parts : {0, 1, 2, 3, 1000}) {
            std::vector<std::atomic<int>> times(parts);
            std::vector<std::atomic<bool>> busy(threads);
            std::atomic<bool> shared{false};
            all.run(parts, [&](std::size_t k, unsigned slot) {
                shared = shared || busy[slot].exchange(true);
                times[k]++;
                busy[slot] = false;
            });
            BOOST_TEST(!shared);
            BOOST_TEST(std::count(times.begin(), times.end(), 1) ==
                       static_cast<std::ptrdiff_t>(parts));
        }
    }
}

BOOST_AUTO_TEST_CASE(workers_help)
{
    workers all(2);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    // A part waits for the other: alone, the caller would never be through.
    std::atomic<int> here{0};
    all.run(2, [&](std::size_t, unsigned) {
        here++;
        while (here < 2) {
            std::this_thread::yield();
        }
        std::lock_guard<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
    });
    BOOST_TEST(seen.size() == 2);
}

BOOST_AUTO_TEST_CASE(many_callers_at_once)
{
    workers all(3);
    std::atomic<std::size_t> sum{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; caller++) {
        callers.emplace_back([&] {
            for (int job = 0; job < 500; job++) {
                std::size_t mine[8] = {};
                all.run(8, [&](std::size_t k, unsigned) { mine[k] = k + 1; });
                for (const std::size_t value : mine) {
                    sum += value;
                }
            }
        });
    }
    for (auto& caller : callers) {
        caller.join();
    }
    BOOST_TEST(sum == 4u * 500 * 36);
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_the_caller)
{
    workers all(3);
    for (const std::size_t bad : {0, 7, 15}) {
        std::atomic<int> done{0};
        BOOST_CHECK_THROW(all.run(16,
                                  [&](std::size_t k, unsigned) {
                                      if (k == bad) {
                                          throw std::runtime_error("bad part");
                                      }
                                      done++;
                                  }),
                          std::runtime_error);
        BOOST_TEST(done == 15);
    }
}

BOOST_AUTO_TEST_CASE(kernels_share_one_set_of_workers)
{
    set_threads(3);
    const auto a = workers::shared(), b = workers::shared();
    BOOST_TEST(a == b);
    BOOST_TEST(a->slots() == 3);
    set_threads(2);
    BOOST_TEST(workers::shared()->slots() == 2);
    BOOST_TEST(a->slots() == 3);
    set_threads(0);
    BOOST_TEST(gr::fringe::threads() >= 1);
    BOOST_TEST(workers::shared()->slots() ==
               static_cast<unsigned>(gr::fringe::threads()));
    BOOST_CHECK_THROW(set_threads(-1), std::invalid_argument);
    BOOST_CHECK_THROW(set_threads(1025), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(channelizer_gives_the_same_bits_on_any_number_of_threads)
{
    for (const auto in : {component::i8, component::i16, component::f32}) {
        for (const unsigned bits : {0u, 8u}) {
            for (const unsigned taps : {1u, 4u}) {
                channelizer_params p;
                p.inputs = pick({1, 2, 5});
                p.channels = pick({129, 1024, 4096});
                p.block_spectra = 65536 / p.channels + 3;
                p.complex_samples = random_below(2);
                p.in = in;
                p.taps = taps;
                p.requantize_bits = bits;
                p.gains.assign(p.inputs, static_cast<float>(60 / rms_of(in)));
                const std::size_t parts = p.complex_samples ? 2 : 1;
                const std::size_t samples = p.inputs * p.block_spectra * p.points();
                const auto noise = random_components(in, samples * parts);
                const auto alone = spectra_with(1, p, noise);
                BOOST_TEST((alone == spectra_with(2, p, noise)));
                BOOST_TEST((alone == spectra_with(7, p, noise)));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(xengine_gives_the_same_bits_on_any_number_of_threads)
{
    for (const auto in : {component::i8, component::f32}) {
        for (const std::size_t inputs : {1, 2, 3, 8, 11, 12, 33}) {
            const xengine_params p{inputs, 515, 19, in};
            const auto noise = random_components(in, 2 * inputs * p.channels * 19);
            const auto alone = sums_with(1, p, noise);
            BOOST_TEST((alone == sums_with(2, p, noise)));
            BOOST_TEST((alone == sums_with(7, p, noise)));
        }
    }
}
