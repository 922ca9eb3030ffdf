/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Random streams of samples, with gaps, invalid samples, delays and new corrections, are
// planned, and compared with what each spectrum by itself has to be.

#include "kernels/channelizer/backends.h"
#include "stages/filter_bank_plan.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <deque>
#include <map>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937_64 random_bits(test_seed());

std::size_t between(std::size_t low, std::size_t high)
{
    return std::uniform_int_distribution<std::size_t>(low, high)(random_bits);
}

constexpr double sample_rate = 1e6;
const epoch start_of_data = epoch::from_iso("2026-06-12T00:00:00");

//! Delays that move by some samples while some thousand go by.
class wandering : public tracking
{
public:
    explicit wandering(std::size_t inputs)
    {
        for (std::size_t i = 0; i < inputs; ++i) {
            d_phases.push_back(static_cast<double>(between(0, 1000)));
        }
    }
    std::size_t inputs() const override { return d_phases.size(); }
    double sample_rate() const override { return ::sample_rate; }
    double frequency() const override { return 1e8; }
    double longest() const override { return 7e-6; }
    bool fringe_stopping() const override { return true; }
    using tracking::delays;
    void delays(const epoch& first, double step, std::size_t count, double* out) override
    {
        for (std::size_t i = 0; i < inputs(); ++i) {
            for (std::size_t n = 0; n < count; ++n) {
                const double t =
                    first.seconds_since(start_of_data) + static_cast<double>(n) * step;
                out[i * count + n] = 7e-6 * std::sin(d_phases[i] + 1e2 * t);
            }
        }
    }
    std::vector<std::string> warnings(const epoch&) const override { return {}; }

private:
    std::vector<double> d_phases;
};

//! A spectrum as it was planned.
struct planned_spectrum {
    std::uint64_t first_sample; // of its window, on the axis of the stream
    std::size_t run;
    int corrections;
    std::vector<char> lost; // [input]
};

//! Samples of all inputs without a gap.
struct run_of_data {
    std::uint64_t begin = 0, rows = 0;
    std::vector<invalid_run> invalid; // on the axis of the stream
};

struct random_stream {
    kernels::channelizer_params p;
    std::shared_ptr<wandering> towards;
    std::size_t points, window;
    std::vector<run_of_data> runs;
    std::vector<planned_spectrum> spectra;
    struct planned_item {
        std::size_t number;
        std::uint64_t first_sample;
        std::size_t spectra;
    };
    std::vector<planned_item> items;
    //! Changes of corrections, and before which item they were given.
    struct change {
        std::size_t item;
        epoch from;
    };
    std::vector<change> changes;

    explicit random_stream(bool with_delays)
    {
        p.inputs = between(1, 4);
        p.channels = between(1, 12);
        p.taps = static_cast<unsigned>(between(1, 5));
        p.block_spectra = between(1, 9);
        if (with_delays) {
            towards = std::make_shared<wandering>(p.inputs);
            p.max_shift_samples = window_steering::max_shift_samples(towards);
        }
        points = p.points();
        window = p.taps * points;
        plan();
    }

    //! A spectrum's middle is this number of samples behind its window's begin.
    epoch middle(std::uint64_t first) const
    {
        return start_of_data.plus_half_samples(
            static_cast<std::int64_t>(2 * first + window), sample_rate);
    }

    void add(const filter_bank_plan::order& order, std::size_t item, int& corrections)
    {
        items.push_back({item, order.first_sample, order.spectra});
        for (std::size_t s = 0; s <= order.spectra; ++s) {
            if (order.corrections && order.corrections->spectra == s) {
                corrections = static_cast<int>(order.corrections->factors[0].real());
                BOOST_REQUIRE(s == 0 ||
                              order.corrections->rows == order.rows - order.spectra + s);
            }
            if (s == order.spectra) {
                break;
            }
            planned_spectrum made{order.first_sample + s * points,
                                  runs.size() - 1,
                                  corrections,
                                  std::vector<char>(p.inputs)};
            for (const invalid_run& r : order.lost) {
                BOOST_REQUIRE(r.count > 0 && r.first + r.count <= order.spectra);
                made.lost.at(r.input) |= s >= r.first && s < r.first + r.count;
            }
            spectra.push_back(made);
        }
    }

    void plan()
    {
        filter_bank_plan planned(p, towards);
        BOOST_REQUIRE_EQUAL(planned.has_delays(), towards != nullptr);
        std::size_t item = 0;
        std::uint64_t sample = 0;
        int corrections = -1;
        for (std::size_t k = 0, count = between(1, 4); k < count; ++k) {
            const bool after_end = k > 0 && between(0, 1);
            if (after_end) {
                while (const auto order = planned.plan_zeros()) {
                    add(*order, item, corrections);
                }
                ++item;
                planned.end();
            }
            // Another run follows at once only where the data had ended.
            const std::uint64_t gap = k == 0 ? 0 : between(after_end ? 0 : 1, 300);
            sample += gap;
            const array::beginning begin{
                start_of_data.plus_samples(static_cast<std::int64_t>(sample),
                                           sample_rate),
                sample_rate};
            const bool untold = k > 0 && gap == 0 && between(0, 1);
            BOOST_REQUIRE_EQUAL(
                planned.begin(untold ? std::nullopt : std::make_optional(begin)).value(),
                gap);
            runs.push_back({sample, 0, {}});
            for (std::size_t more = between(0, 12); more > 0; --more, ++item) {
                change_corrections(planned, item, sample);
                std::size_t rows =
                    between(0, 3) ? p.block_spectra : between(0, p.block_spectra);
                std::vector<invalid_run> invalid;
                for (std::size_t n = rows && !between(0, 2) ? between(1, 3) : 0; n > 0;
                     --n) {
                    const std::size_t first = between(0, rows * points - 1);
                    invalid.push_back({between(0, p.inputs - 1),
                                       first,
                                       between(1, rows * points - first)});
                    runs.back().invalid.push_back(
                        {invalid.back().input, sample + first, invalid.back().count});
                }
                BOOST_REQUIRE(!planned.begin(std::nullopt));
                add(planned.plan(rows, invalid), item, corrections);
                runs.back().rows += rows;
                sample += rows * points;
            }
        }
        while (const auto order = planned.plan_zeros()) {
            add(*order, item, corrections);
        }
        BOOST_REQUIRE(!planned.plan_zeros());
    }

    void
    change_corrections(filter_bank_plan& planned, std::size_t item, std::uint64_t sample)
    {
        if (between(0, 3) == 0) {
            // Quarters of a sample: before, on and between the middles of windows.
            const epoch from = start_of_data.plus_half_samples(
                static_cast<std::int64_t>(2 * sample + between(0, 2 * 15 * points)) -
                    static_cast<std::int64_t>(5 * points),
                sample_rate * (between(0, 1) ? 1 : 1.0000001));
            planned.correct({static_cast<float>(changes.size())}, from);
            changes.push_back({item, from});
        }
    }

    // A change takes the place of those that wait for its time or a later one. An item takes
    // the last that counts for its first spectrum, also when that will not be complete before
    // a later item, or one that counts for a later spectrum.
    void check_corrections() const
    {
        int now = -1;
        std::deque<int> waiting;
        std::size_t next = 0;
        auto spectrum = spectra.begin();
        for (const planned_item& item : items) {
            while (next < changes.size() && changes[next].item <= item.number) {
                const epoch& from = changes[next].from;
                while (!waiting.empty() &&
                       changes[waiting.back()].from.seconds_since(from) >= 0) {
                    waiting.pop_back();
                }
                waiting.push_back(static_cast<int>(next++));
            }
            bool taken = false;
            for (std::size_t s = 0; s <= item.spectra; ++s) {
                const epoch t = middle(item.first_sample + s * points);
                while ((s == 0 || (s < item.spectra && !taken)) && !waiting.empty() &&
                       !(t.seconds_since(changes[waiting.front()].from) < -2e-15)) {
                    now = waiting.front();
                    waiting.pop_front();
                    taken = true;
                }
                if (s < item.spectra) {
                    BOOST_REQUIRE_EQUAL((spectrum++)->corrections, now);
                }
            }
        }
    }

    std::int64_t shift(std::uint64_t first, std::size_t input) const
    {
        if (!towards) {
            return 0;
        }
        return std::llround(towards->delays(middle(first), 1, 1)[input] * sample_rate);
    }

    //! Whether the window of a spectrum, made longer by `more` samples on both sides, has
    //! something in it that must not be used.
    bool is_lost(const planned_spectrum& s, std::size_t input, std::int64_t more) const
    {
        const run_of_data& r = runs[s.run];
        const auto first = static_cast<std::int64_t>(s.first_sample) +
                           shift(s.first_sample, input) - more;
        const std::int64_t end = first + static_cast<std::int64_t>(window) + 2 * more;
        if (first < static_cast<std::int64_t>(r.begin) && (towards || more == 0)) {
            return true;
        }
        return std::any_of(r.invalid.begin(), r.invalid.end(), [&](const auto& bad) {
            return bad.input == input &&
                   static_cast<std::int64_t>(
                       bad.first)<end&& static_cast<std::int64_t>(bad.first + bad.count)>
                       first;
        });
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(spectra_of_a_stream_without_delays)
{
    for (int round = 0; round < 1000; ++round) {
        const random_stream stream(false);
        stream.check_corrections();
        std::size_t at = 0;
        for (std::size_t k = 0; k < stream.runs.size(); ++k) {
            const run_of_data& run = stream.runs[k];
            for (std::uint64_t s = 0; s + stream.p.taps <= run.rows; ++s, ++at) {
                BOOST_REQUIRE_LT(at, stream.spectra.size());
                const planned_spectrum& got = stream.spectra[at];
                BOOST_REQUIRE_EQUAL(got.run, k);
                BOOST_REQUIRE_EQUAL(got.first_sample, run.begin + s * stream.points);
                for (std::size_t i = 0; i < stream.p.inputs; ++i) {
                    BOOST_REQUIRE_EQUAL(got.lost[i] != 0, stream.is_lost(got, i, 0));
                }
            }
        }
        BOOST_REQUIRE_EQUAL(at, stream.spectra.size());
    }
}

// With delays a spectrum may be given up that misses an invalid sample by as much as the
// delays change during an item, but none may be used that meets one.
BOOST_AUTO_TEST_CASE(spectra_of_a_stream_with_delays)
{
    for (int round = 0; round < 1000; ++round) {
        const random_stream stream(true);
        stream.check_corrections();
        std::map<std::size_t, std::uint64_t> made; // spectra by run
        for (const planned_spectrum& got : stream.spectra) {
            const run_of_data& run = stream.runs[got.run];
            BOOST_REQUIRE_EQUAL(got.first_sample,
                                run.begin + made[got.run]++ * stream.points);
            for (std::size_t i = 0; i < stream.p.inputs; ++i) {
                const auto end = run.begin + run.rows * stream.points;
                BOOST_REQUIRE_LE(got.first_sample + stream.window +
                                     static_cast<std::uint64_t>(
                                         stream.shift(got.first_sample, i) + 100),
                                 end + 100);
                BOOST_REQUIRE(got.lost[i] || !stream.is_lost(got, i, 0));
                BOOST_REQUIRE(!got.lost[i] || stream.is_lost(got, i, 16));
            }
        }
        // Of the last run, no spectrum is left out whose windows have data.
        const run_of_data& last = stream.runs.back();
        const std::uint64_t next =
            last.begin + made[stream.runs.size() - 1] * stream.points;
        std::int64_t latest = stream.shift(next, 0);
        for (std::size_t i = 1; i < stream.p.inputs; ++i) {
            latest = std::max(latest, stream.shift(next, i));
        }
        const auto end =
            static_cast<std::int64_t>(last.begin + last.rows * stream.points);
        const auto window_end = static_cast<std::int64_t>(next + stream.window);
        BOOST_REQUIRE(window_end + latest + 1 > end || window_end > end);
    }
}

BOOST_AUTO_TEST_CASE(times_of_spectra)
{
    kernels::channelizer_params p;
    p.channels = 10;
    p.taps = 4;
    filter_bank_plan plan(p, nullptr);
    BOOST_CHECK_EQUAL(plan.rate(), 1);
    BOOST_CHECK(plan.start_of(30) == epoch::from_pair(3, 0));
    BOOST_CHECK_EQUAL(plan.begin(array::beginning{start_of_data, 1000.0}).value(), 0u);
    BOOST_CHECK_EQUAL(plan.rate(), 100);
    // 40 samples of a window stand for the 10 in its middle.
    BOOST_CHECK(plan.start_of(20) == start_of_data.plus_samples(20 + 15, 1000.0));
}
