/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Streams of random samples, with gaps and lost samples, are cut into stretches; several
// workers take these in any order. What they make is compared with sums over the same stream
// by definition, and with each other bit by bit.

#include "io/recordings/recording.h"
#include "kernels/channelizer/backends.h"
#include "stages/fx_worker.h"
#include "stages/fx_workers.h"
#include "stages/items_in_place.h"
#include "stages/spectrum_parts.h"
#include "stages/stretch_plan.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

using namespace gr::fringe;
using kernels::baselines;

namespace {

std::mt19937_64 random_bits(test_seed());

std::size_t between(std::size_t low, std::size_t high)
{
    return std::uniform_int_distribution<std::size_t>(low, high)(random_bits);
}

//! A correlator of random sizes, and a stream of ci8 for it: runs without a gap.
struct random_case {
    fx_worker_settings worker;
    stretch_settings plan;
    struct run {
        epoch start;
        std::vector<std::uint8_t> samples; // [time][input], re, im
        std::vector<invalid_run> lost;     // counted from its start
        std::size_t count;
    };
    std::vector<run> runs;

    explicit random_case(kernels::backend backend,
                         unsigned requantize,
                         bool search,
                         std::size_t mean_blocks = 0)
    {
        auto& f = worker.f;
        f.inputs = between(1, 7);
        f.channels = between(1, 20);
        f.block_spectra = between(1, 9);
        f.taps = static_cast<unsigned>(between(1, 5));
        f.window = "hamming";
        f.in = mean_blocks > 0 ? kernels::component::f32 : kernels::component::i8;
        worker.mean_blocks = plan.mean_blocks = mean_blocks;
        f.requantize_bits = requantize;
        worker.search = search;
        if (requantize) {
            f.gains.assign(f.inputs, 0.4f);
        }
        worker.backend = backend;
        worker.u.from = io::encoding_by_name("ci8");
        worker.u.to = f.in;
        worker.u.block_samples = f.block_spectra * f.channels;
        worker.u.rows.resize(f.inputs);
        std::iota(worker.u.rows.begin(), worker.u.rows.end(), 0);
        worker.x = {f.inputs,
                    f.channels,
                    f.block_spectra,
                    requantize ? kernels::component::i8 : kernels::component::f32,
                    kernels::spectra_layout::channel_major};
        worker.choose_layout();
        plan.f = f;
        plan.stretch_spectra = between(1, 40);
        plan.longest_sum = between(5, 30);
        plan.max_sums = between(1, 6);
        plan.window = search ? between(2, 25) : 0;
        if (between(0, 1)) {
            plan.dump_spectra = between(1, 60);
        }
        make_runs();
    }

    std::size_t inputs() const { return worker.f.inputs; }
    std::size_t channels() const { return worker.f.channels; }

    void make_runs()
    {
        epoch start = epoch::from_iso("2026-06-12T00:00:00");
        for (std::size_t k = between(1, 3); k > 0; --k) {
            run r;
            r.start = start;
            r.count = between(0, 90 * channels());
            r.samples.resize(2 * inputs() * r.count);
            for (auto& byte : r.samples) {
                byte = static_cast<std::uint8_t>(between(0, 60)) - 30;
            }
            for (std::size_t n = r.count ? between(0, 3) : 0; n > 0; --n) {
                const std::size_t first = between(0, r.count - 1);
                r.lost.push_back(
                    {between(0, inputs() - 1),
                     first,
                     between(1, std::min<std::size_t>(r.count - first, 50))});
            }
            runs.push_back(r);
            start = start.plus_samples(
                static_cast<std::int64_t>(r.count + channels() * between(10, 20)), 1e6);
        }
    }

    //! Puts all of it into a plan, in blocks of random length.
    std::vector<stretch> stretches(buffer_pool& buffers) const
    {
        stretch_plan planned(plan);
        for (const run& r : runs) {
            planned.begin(r.start, 1e6);
            std::size_t at = 0;
            while (at < r.count) {
                // Blocks that are not full end with a whole spectrum, but for the last.
                const std::size_t whole = worker.u.block_samples;
                std::size_t some = channels() * between(1, worker.f.block_spectra);
                some = between(0, 2) ? whole : some;
                planned.add(block_of(r, at, std::min(some, r.count - at), buffers));
                at += std::min(some, r.count - at);
            }
        }
        planned.end();
        std::vector<stretch> all;
        while (planned.ready()) {
            all.push_back(planned.take());
        }
        return all;
    }

    std::shared_ptr<raw_block>
    block_of(const run& r, std::size_t at, std::size_t count, buffer_pool& buffers) const
    {
        auto block = std::make_shared<raw_block>();
        block->samples = count;
        const auto bytes = buffers.take(2 * inputs() * worker.u.block_samples);
        block->bytes = {bytes, bytes->data()};
        std::fill(bytes->begin(), bytes->end(), 99); // to be left alone
        std::memcpy(
            bytes->data(), r.samples.data() + 2 * inputs() * at, 2 * inputs() * count);
        for (const invalid_run& lost : r.lost) {
            const std::uint64_t first = std::max<std::uint64_t>(lost.first, at);
            const std::uint64_t end = std::min(lost.first + lost.count, at + count);
            if (first < end) {
                block->invalid.push_back({lost.input, first - at, end - first});
            }
        }
        return block;
    }
};

//! Spectra [spectrum][channel][input] of one run by the generic filter bank in one call, lost
//! ones zero, and which are lost.
struct spectra_of_run {
    std::vector<std::complex<double>> values;
    std::vector<char> lost; // [spectrum][input]
    std::size_t count = 0;

    spectra_of_run(const random_case& c, const random_case::run& r)
    {
        auto f = c.worker.f;
        f.layout = kernels::spectra_layout::channel_major;
        const std::size_t rows = r.count / f.channels, n = f.inputs;
        if (rows < f.taps) {
            return;
        }
        f.block_spectra = rows;
        std::vector<std::int8_t> voltages(2 * n * rows * f.channels);
        for (std::size_t t = 0; t < rows * f.channels; ++t) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t part = 0; part < 2; ++part) {
                    voltages[2 * (i * rows * f.channels + t) + part] =
                        static_cast<std::int8_t>(r.samples[2 * (t * n + i) + part]);
                }
            }
        }
        std::vector<std::uint8_t> out(kernels::block_bytes(f));
        std::vector<std::uint64_t> clipped(n);
        const auto bank = kernels::make_channelizer(c.worker.backend, f);
        count = bank->process(voltages.data(),
                              rows * f.channels,
                              rows * f.channels,
                              out.data(),
                              clipped.data());
        mark_lost(c, r);
        values.resize(count * f.channels * n);
        for (std::size_t k = 0; k < f.channels; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t s = 0; s < count; ++s) {
                    const std::size_t at = (k * n + i) * rows + s;
                    std::complex<double> v;
                    if (f.requantize_bits) {
                        const auto* p = reinterpret_cast<std::int8_t*>(out.data());
                        v = {double(p[2 * at]), double(p[2 * at + 1])};
                    } else {
                        v = reinterpret_cast<std::complex<float>*>(out.data())[at];
                    }
                    values[(s * f.channels + k) * n + i] = lost[s * n + i] ? 0.0 : v;
                }
            }
        }
    }

    void mark_lost(const random_case& c, const random_case::run& r)
    {
        lost.resize(count * c.inputs());
        for (std::size_t s = 0; s < count; ++s) {
            const std::size_t first = s * c.channels();
            const std::size_t end = first + c.worker.f.taps * c.channels();
            for (const invalid_run& l : r.lost) {
                if (l.first < end && l.first + l.count > first) {
                    lost[s * c.inputs() + l.input] = 1;
                }
            }
        }
    }
};

std::complex<double>
value_of(const random_case& c, const stretch_sums::sum& s, std::size_t k)
{
    if (c.worker.f.requantize_bits) {
        const auto* p = reinterpret_cast<const std::int32_t*>(s.values->data()) + 2 * k;
        return {double(p[0]), double(p[1])};
    }
    return reinterpret_cast<const std::complex<float>*>(s.values->data())[k];
}

void check_sum(const random_case& c,
               const stretch_sums::sum& sum,
               const spectra_of_run& x,
               std::size_t first)
{
    const std::size_t n = c.inputs(), channels = c.channels();
    std::vector<std::uint64_t> valid(baselines(n), sum.of.spectra);
    for (std::size_t k = 0; k < channels; ++k) {
        std::size_t b = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i; j < n; ++j, ++b) {
                std::complex<double> direct = 0;
                double scale = 1e-3;
                for (std::size_t s = first; s < first + sum.of.spectra; ++s) {
                    const auto* row = &x.values[(s * channels + k) * n];
                    direct += row[i] * std::conj(row[j]);
                    scale += std::abs(row[i] * row[j]);
                    valid[b] -= k == 0 && (x.lost[s * n + i] || x.lost[s * n + j]);
                }
                const double miss =
                    std::abs(value_of(c, sum, k * baselines(n) + b) - direct);
                BOOST_REQUIRE_SMALL(miss,
                                    c.worker.f.requantize_bits ? 1e-9 : 2e-6 * scale);
            }
        }
    }
    for (std::uint64_t& v : valid) {
        v *= spectrum_parts;
    }
    BOOST_TEST(sum.counts.valid() == valid, boost::test_tools::per_element());
    BOOST_TEST(sum.counts.spectra() == sum.of.spectra);
}

//! Every spectrum is in one sum, in order.
void check_all(const random_case& c, const std::vector<stretch_sums>& made)
{
    std::vector<spectra_of_run> spectra;
    for (const auto& run : c.runs) {
        spectra.emplace_back(c, run);
    }
    std::size_t run = 0, next = 0;
    for (const stretch_sums& m : made) {
        for (const auto& sum : m.sums) {
            while (run < spectra.size() && next == spectra[run].count) {
                ++run;
                next = 0;
            }
            BOOST_REQUIRE(run < spectra.size());
            BOOST_REQUIRE(next + sum.of.spectra <= spectra[run].count);
            BOOST_REQUIRE(sum.of.spectra <= c.plan.longest_sum);
            // The middle N of the samples of its first window.
            const auto start =
                c.runs[run]
                    .start
                    .plus_samples(static_cast<std::int64_t>(next * c.channels()), 1e6)
                    .plus_half_samples(
                        static_cast<std::int64_t>((c.worker.f.taps - 1) * c.channels()),
                        1e6);
            BOOST_TEST(std::abs(sum.of.start->seconds_since(start)) < 1e-12);
            check_sum(c, sum, spectra[run], next);
            next += sum.of.spectra;
        }
    }
    while (run < spectra.size() && next == spectra[run].count) {
        ++run;
        next = 0;
    }
    BOOST_TEST(run == spectra.size());
}

std::vector<stretch_sums> in_order(const random_case& c, const std::vector<stretch>& cut)
{
    buffer_pool buffers;
    fx_worker worker(c.worker, buffers);
    std::vector<stretch_sums> made;
    for (const stretch& s : cut) {
        made.push_back(worker.run(s));
    }
    return made;
}

void same_bits(const std::vector<stretch_sums>& a, const std::vector<stretch_sums>& b)
{
    BOOST_REQUIRE(a.size() == b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        BOOST_REQUIRE(a[k].sums.size() == b[k].sums.size());
        for (std::size_t s = 0; s < a[k].sums.size(); ++s) {
            BOOST_REQUIRE(*a[k].sums[s].values == *b[k].sums[s].values);
        }
        BOOST_REQUIRE(a[k].windows.size() == b[k].windows.size());
        for (std::size_t w = 0; w < a[k].windows.size(); ++w) {
            BOOST_REQUIRE(a[k].windows[w].s1 == b[k].windows[w].s1);
            BOOST_REQUIRE(a[k].windows[w].s2 == b[k].windows[w].s2);
            BOOST_REQUIRE(a[k].windows[w].count.valid == b[k].windows[w].count.valid);
        }
        BOOST_TEST(a[k].saturated == b[k].saturated);
        BOOST_TEST(a[k].clipped == b[k].clipped);
    }
}

} // namespace

// Items are consumed in their order, whatever the order in which blocks of samples go, and what is
// needed still when the ring goes is copied.
BOOST_AUTO_TEST_CASE(items_are_read_in_place)
{
    constexpr std::size_t bytes = 100;
    std::vector<std::uint8_t> ring(6 * bytes);
    std::iota(ring.begin(), ring.end(), 0);
    buffer_pool buffers;
    items_in_place items;
    std::vector<std::shared_ptr<raw_block>> blocks;
    for (std::size_t n = 0; n < 6; ++n) {
        blocks.push_back(std::make_shared<raw_block>());
        if (n == 1) {
            copy_samples(*blocks[n], &ring[n * bytes], bytes, buffers);
            items.pass();
        } else {
            items.read(blocks[n], &ring[n * bytes]);
            BOOST_TEST(blocks[n]->bytes.get() == &ring[n * bytes]);
        }
    }
    BOOST_TEST(items.take_ready() == 0U);
    blocks[2].reset();
    BOOST_TEST(!items.ready());
    blocks[0].reset();
    BOOST_TEST(items.ready());
    BOOST_TEST(items.take_ready() == 3U);
    BOOST_TEST(items.size() == 3U);
    blocks[4].reset();
    items.copy(buffers, bytes);
    BOOST_TEST(items.take_ready() == 3U);
    const auto before = ring;
    std::fill(ring.begin(), ring.end(), 0);
    for (const std::size_t n : {1, 3, 5}) {
        const auto* const found = blocks[n]->bytes.get();
        BOOST_TEST(std::equal(found, found + bytes, &before[n * bytes]));
    }
}

BOOST_AUTO_TEST_CASE(sums_are_those_of_the_definition)
{
    for (int k = 0; k < 60; ++k) {
        const random_case c(k % 2 ? kernels::backend::cpu : kernels::backend::generic,
                            k % 3 ? 0 : 8,
                            k % 5 == 0);
        buffer_pool buffers;
        check_all(c, in_order(c, c.stretches(buffers)));
    }
}

BOOST_AUTO_TEST_CASE(any_number_of_workers_gives_the_same_bits)
{
    for (int k = 0; k < 12; ++k) {
        const random_case c(kernels::backend::cpu, k % 3 ? 0 : 4, k % 2, k % 5);
        buffer_pool buffers;
        const auto cut = c.stretches(buffers);
        const auto expected = in_order(c, cut);
        for (const unsigned threads : {1, 3, 16}) {
            fx_workers pool(c.worker, threads, [] {});
            std::vector<stretch_sums> made;
            for (const stretch& s : cut) {
                pool.put(s);
                while (pool.size() > 5) {
                    made.push_back(pool.take());
                }
            }
            while (pool.size() > 0) {
                made.push_back(pool.take());
            }
            same_bits(made, expected);
        }
    }
}

namespace {

//! The first run of a case as a recording in full blocks, and the dumps selected from it.
std::vector<stretch> of_recording(const random_case& c,
                                  const std::optional<dump_range>& dumps,
                                  buffer_pool& buffers)
{
    stretch_plan planned(c.plan);
    const auto& run = c.runs[0];
    planned.begin(run.start, 1e6);
    const std::size_t block = c.worker.u.block_samples;
    for (std::size_t at = dumps ? planned.select(*dumps) * block : 0;
         at < run.count && !planned.past_selection();
         at += block) {
        planned.add(c.block_of(run, at, std::min(block, run.count - at), buffers));
    }
    planned.end();
    std::vector<stretch> all;
    while (planned.ready()) {
        all.push_back(planned.take());
    }
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(dumps_that_are_selected_have_the_same_bits)
{
    for (int k = 0; k < 60; ++k) {
        random_case c(kernels::backend::cpu, k % 3 ? 0 : 8, false, k % 4);
        if (k % 2) {
            c.plan.dump_spectra = between(1, 60);
        } else { // the first dump is cut off by the begin of the recording
            c.plan.dump_spectra = 0;
            c.plan.dump_seconds =
                1e-6 * static_cast<double>(between(c.channels(), 60 * c.channels()));
            c.runs[0].start = c.runs[0].start.plus_samples(
                static_cast<std::int64_t>(between(0, 1000000)), 3e6);
        }
        buffer_pool buffers;
        const auto whole = in_order(c, of_recording(c, {}, buffers));

        stretch_plan numbers(c.plan);
        numbers.begin(c.runs[0].start, 1e6);
        const dump_range dumps = numbers.dumps_in(c.runs[0].count);
        const std::int64_t together = numbers.dumps_together();
        const std::int64_t last = (dumps.end / together + 1) * together;
        std::vector<stretch_sums> parts;
        for (std::int64_t first = dumps.first; first < last;) {
            const auto some = static_cast<std::int64_t>(between(1, 5));
            const std::int64_t end = std::min(last, (first / together + some) * together);
            auto made = in_order(c, of_recording(c, dump_range{first, end}, buffers));
            std::move(made.begin(), made.end(), std::back_inserter(parts));
            first = end;
        }
        same_bits(parts, whole);
        for (std::size_t s = 0; s < whole.size(); ++s) {
            for (std::size_t n = 0; n < whole[s].sums.size(); ++n) {
                const auto &a = parts[s].sums[n], &b = whole[s].sums[n];
                BOOST_TEST((*a.of.start == *b.of.start && a.of.spectra == b.of.spectra));
                BOOST_TEST(a.counts.valid() == b.counts.valid());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(dumps_are_selected_where_stretches_end)
{
    random_case c(kernels::backend::cpu, 0, false);
    c.plan.dump_spectra = 3;
    c.plan.stretch_spectra = 6;
    const auto select = [&](std::int64_t first, std::int64_t end, stretch_settings how) {
        stretch_plan planned(how);
        planned.begin(c.runs[0].start, 1e6);
        planned.select({first, end});
    };
    BOOST_CHECK_NO_THROW(select(2, 6, c.plan));
    BOOST_CHECK_THROW(select(1, 6, c.plan), std::invalid_argument);
    BOOST_CHECK_THROW(select(2, 5, c.plan), std::invalid_argument);
    BOOST_CHECK_THROW(select(4, 4, c.plan), std::invalid_argument);
    auto other = c.plan;
    other.window = 10;
    BOOST_CHECK_THROW(select(2, 6, other), std::invalid_argument);
    other = c.plan;
    other.dump_spectra = 0;
    BOOST_CHECK_THROW(select(2, 6, other), std::invalid_argument);
}

// A stretch has the blocks over which the mean of its first one goes: those right before it.
BOOST_AUTO_TEST_CASE(means_go_over_the_blocks_before_a_stretch)
{
    for (int k = 0; k < 30; ++k) {
        const random_case c(kernels::backend::cpu, 0, k % 2, between(1, 6));
        buffer_pool buffers;
        std::vector<std::shared_ptr<const raw_block>> all; // in order
        for (const stretch& s : c.stretches(buffers)) {
            const auto at = std::find(all.begin(), all.end(), s.blocks.front());
            const auto there = std::min<std::ptrdiff_t>(
                at - all.begin(), static_cast<std::ptrdiff_t>(c.plan.mean_blocks) - 1);
            if (s.rows > 0) {
                BOOST_TEST(std::equal(at - there, at, s.before.begin(), s.before.end()));
            }
            all.insert(all.end(), s.blocks.begin() + (all.end() - at), s.blocks.end());
        }
    }
}

// The powers of a window are those of its valid spectra, and its sums are all there.
BOOST_AUTO_TEST_CASE(windows_are_counted_from_the_start_and_from_gaps)
{
    for (int k = 0; k < 20; ++k) {
        const random_case c(kernels::backend::cpu, 0, true);
        buffer_pool buffers;
        const auto made = in_order(c, c.stretches(buffers));
        std::size_t run = 0, next = 0;
        std::vector<spectra_of_run> spectra;
        for (const auto& known_run : c.runs) {
            spectra.emplace_back(c, known_run);
        }
        for (const stretch_sums& m : made) {
            std::size_t sum = 0;
            for (const auto& window : m.windows) {
                while (next == spectra[run].count) {
                    ++run;
                    next = 0;
                }
                std::size_t count = 0;
                for (std::size_t s = 0; s < window.sums; ++s) {
                    count += m.sums[sum++].of.spectra;
                }
                // They are counted from the begin of the first block with a spectrum.
                const std::size_t place =
                    next + missing_spectra(c.worker.f.taps - 1, c.worker.f.block_spectra);
                const std::size_t left = c.plan.window - place % c.plan.window;
                BOOST_TEST((next == 0 || left == c.plan.window));
                BOOST_TEST(count == std::min(left, spectra[run].count - next));
                BOOST_TEST(window.count.spectra == count);
                for (std::size_t cell = 0; cell < window.s1.size(); ++cell) {
                    double s1 = 0, s2 = 0;
                    for (std::size_t s = next; s < next + count; ++s) {
                        const double p =
                            std::norm(spectra[run].values[s * window.s1.size() + cell]);
                        s1 += p;
                        s2 += p * p;
                    }
                    BOOST_REQUIRE_SMALL(window.s1[cell] - s1, 1e-4 * s1 + 1e-6);
                    BOOST_REQUIRE_SMALL(window.s2[cell] - s2, 1e-4 * s2 + 1e-6);
                }
                next += count;
            }
            BOOST_TEST(sum == m.sums.size());
        }
    }
}

// A block that cannot be read ends the sums before it; the blocks before are in them.
BOOST_AUTO_TEST_CASE(a_damaged_block_ends_the_sums)
{
    for (int k = 0; k < 20; ++k) {
        random_case c(kernels::backend::cpu, 0, k % 2);
        c.runs.resize(1);
        c.runs[0].lost.clear();
        c.plan.stretch_spectra = 1000;
        c.plan.max_sums = 1000;
        c.plan.dump_spectra = 0;
        const std::size_t block = c.worker.u.block_samples;
        const std::size_t blocks = c.runs[0].count / block;
        if (blocks == 0) {
            continue;
        }
        buffer_pool buffers;
        stretch_plan planned(c.plan);
        planned.begin(c.runs[0].start, 1e6);
        for (std::size_t b = 0; b < blocks; ++b) {
            auto unread = std::make_shared<raw_block>();
            unread->position = b * block;
            unread->samples = block;
            planned.add(unread);
        }
        planned.end();
        const std::size_t damaged = between(0, blocks - 1);
        c.worker.read =
            [&](const raw_block& b, std::uint8_t* out, std::vector<invalid_run>&) {
                if (b.position == damaged * block) {
                    throw damaged_block("here");
                }
                std::memcpy(out,
                            c.runs[0].samples.data() + 2 * c.inputs() * b.position,
                            2 * c.inputs() * block);
            };
        fx_worker worker(c.worker, buffers);
        std::size_t spectra = 0;
        std::string why;
        while (planned.ready() && why.empty()) {
            const auto made = worker.run(planned.take());
            why = made.damaged;
            for (const auto& sum : made.sums) {
                BOOST_TEST(sum.counts.spectra() == sum.of.spectra);
                BOOST_TEST(bool(sum.values));
                spectra += sum.of.spectra;
            }
        }
        const std::size_t rows = damaged * c.worker.f.block_spectra;
        BOOST_TEST(spectra == (rows >= c.worker.f.taps ? rows - c.worker.f.taps + 1 : 0));
        if (blocks * c.worker.f.block_spectra >= c.worker.f.taps) {
            BOOST_TEST(why == "here");
        }
    }
}
