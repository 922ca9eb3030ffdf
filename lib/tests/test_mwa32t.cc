/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include "read_by_many.h"
#include "scratch.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;
using io::damaged_recording;

namespace {

using bytes = std::vector<std::uint8_t>;
constexpr std::size_t inputs = 16;

// The word of one sample: any function that differs between all near times and inputs.
std::uint16_t sample(std::uint64_t time, std::size_t input)
{
    return static_cast<std::uint16_t>((time * 40503 + input * 2741) >> 3);
}

void append(bytes& out, std::uint16_t word)
{
    out.push_back(static_cast<std::uint8_t>(word));
    out.push_back(static_cast<std::uint8_t>(word >> 8));
}

// A recording whose counter is `first` at time 0, of the times that were kept.
bytes groups(const std::vector<std::uint64_t>& times, std::uint16_t first)
{
    bytes out;
    for (const auto t : times) {
        append(out, static_cast<std::uint16_t>(first + t));
        for (std::size_t i = 0; i < inputs; i++)
            append(out, sample(t, i));
    }
    return out;
}

// Times 0 ... count - 1 without a given fraction; the ends are kept.
std::vector<std::uint64_t> kept_times(std::uint64_t count, double lost)
{
    std::mt19937 random(7);
    std::vector<std::uint64_t> times{0};
    for (std::uint64_t t = 1; t + 1 < count; t++)
        if (random() >= lost * 4294967296.0)
            times.push_back(t);
    times.push_back(count - 1);
    return times;
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return io::format_by_name("mwa32t").open(path, {streams});
}

// That samples first ... first + count - 1 are those of `times`, the others zero and
// lost.
void check_samples(io::recording& file,
                   const std::vector<std::uint64_t>& times,
                   std::uint64_t first,
                   std::size_t count)
{
    bytes block(count * 2 * inputs, 0xee);
    std::vector<io::lost_samples> lost;
    file.read(first, count, block.data(), &lost);
    bytes bad(count * inputs);
    for (const auto& l : lost) {
        BOOST_REQUIRE(l.cause == io::loss::missing && l.count > 0);
        BOOST_REQUIRE(l.stream < inputs && l.first + l.count <= count);
        for (std::uint64_t t = l.first; t < l.first + l.count; t++)
            bad[t * inputs + l.stream]++;
    }
    std::size_t wrong = 0;
    for (std::uint64_t t = 0; t < count; t++) {
        const bool there = std::binary_search(times.begin(), times.end(), first + t);
        for (std::size_t i = 0; i < inputs; i++) {
            const auto at = t * inputs + i;
            const int word = block[2 * at] + 256 * block[2 * at + 1];
            wrong += word != (there ? sample(first + t, i) : 0) || bad[at] != !there;
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0u);
}

} // namespace

BOOST_AUTO_TEST_CASE(an_mwa32t_recording_is_read_without_its_counters)
{
    const scratch folder;
    const auto times = kept_times(20000, 0);
    write_bytes(folder / "x", groups(times, 60000));
    for (const std::size_t streams : {0, 16}) {
        const auto file = open(folder / "x", streams);
        BOOST_CHECK_EQUAL(file->info().encoding, "mwa16");
        BOOST_CHECK_EQUAL(file->info().streams, inputs);
        BOOST_CHECK_EQUAL(file->info().samples, 20000u);
        BOOST_CHECK_EQUAL(file->info().telescope, "MWA-32T");
        BOOST_CHECK_EQUAL(file->info().remarks, "first counter 60000");
        check_samples(*file, times, 0, 20000);
        check_samples(*file, times, 8191, 2);
        check_samples(*file, times, 19999, 1);
    }
}

BOOST_AUTO_TEST_CASE(lost_groups_keep_their_place_in_time)
{
    const scratch folder;
    for (const double part : {0.0001, 0.01, 0.3, 0.9})
        BOOST_TEST_CONTEXT("lost " << part)
        {
            const std::uint64_t count = 300000; // the counter wraps four times
            const auto times = kept_times(count, part);
            write_bytes(folder / "x", groups(times, 12345));
            const auto file = open(folder / "x");
            BOOST_REQUIRE_EQUAL(file->info().samples, count);
            const auto gone = std::to_string(count - times.size()) + " of 300000 groups";
            BOOST_CHECK(file->info().remarks.find(gone) != std::string::npos);
            for (std::uint64_t first = 0; first < count; first += 7500)
                check_samples(*file, times, first, 7500);
            check_samples(*file, times, 123456, 1); // and back
            check_samples(*file, times, 100, 40000);
        }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_mwa32t_file)
{
    const scratch folder;
    write_bytes(folder / "x", groups(kept_times(100000, 0.01), 12345));
    check_read_by_many(folder / "x", "mwa32t", 0, 2);
}

BOOST_AUTO_TEST_CASE(a_long_gap_is_found_wherever_it_lies)
{
    const scratch folder;
    for (const std::uint64_t at : {1, 4095, 4096, 4097, 9998, 9999})
        BOOST_TEST_CONTEXT("gap behind group " << at)
        {
            std::vector<std::uint64_t> times;
            for (std::uint64_t t = 0; t < 10000; t++)
                times.push_back(t < at ? t : t + 60000);
            write_bytes(folder / "x", groups(times, 0));
            const auto file = open(folder / "x");
            BOOST_REQUIRE_EQUAL(file->info().samples, 70000u);
            for (std::uint64_t first = 0; first < 70000; first += 10000)
                check_samples(*file, times, first, 10000);
        }
}

BOOST_AUTO_TEST_CASE(a_damaged_counter_moves_nothing_behind_it)
{
    const scratch folder;
    const auto times = kept_times(10000, 0);
    for (const std::size_t at : {1, 17, 4095, 4096, 4097, 9998})
        BOOST_TEST_CONTEXT("counter " << at)
        {
            auto raw = groups(times, 5);
            raw[34 * at + 1] ^= 0x5b;
            write_bytes(folder / "x", raw);
            const auto file = open(folder / "x");
            BOOST_REQUIRE_EQUAL(file->info().samples, 10000u);
            check_samples(*file, times, 0, 10000);
        }
}

BOOST_AUTO_TEST_CASE(damaged_mwa32t_recordings_are_refused_or_read_to_the_cut)
{
    const scratch folder;
    auto raw = groups(kept_times(9000, 0), 0);
    auto cut = raw;
    cut.resize(34 * 8000 + 33);
    write_bytes(folder / "x", cut);
    const auto file = open(folder / "x");
    BOOST_CHECK_EQUAL(file->info().samples, 8000u);
    BOOST_CHECK(file->info().remarks.find("cut within") != std::string::npos);
    bytes block(34 * 8000);
    check_refused<std::invalid_argument>([&] { file->read(7000, 1001, block.data()); },
                                         {"8000 samples"});
    check_refused<std::invalid_argument>([&] { open(folder / "x", 8); },
                                         {folder / "x", "16 inputs", "8"});
    // Behind a byte that is lost the first words of 17 are samples.
    raw.erase(raw.begin() + 34 * 5000);
    write_bytes(folder / "x", raw);
    const auto slipped = open(folder / "x");
    BOOST_CHECK(slipped->info().remarks.find("damaged from sample 4096 on") !=
                std::string::npos);
    check_samples(*slipped, kept_times(4096, 0), 0, 4096);
    check_refused<damaged_recording>([&] { slipped->read(4000, 97, block.data()); },
                                     {folder / "x: from byte 139264", "count up"});
    raw.erase(raw.begin());
    write_bytes(folder / "x", raw);
    check_refused<damaged_recording>([&] { open(folder / "x"); },
                                     {folder / "x: from byte 0", "count up"});
    write_bytes(folder / "x", bytes(20));
    check_refused<damaged_recording>([&] { open(folder / "x"); }, {"truncated", "20"});
    write_bytes(folder / "x", {});
    check_refused<std::invalid_argument>([&] { open(folder / "x"); }, {"is empty"});
    // Found while it is read: what was there is there no more.
    write_bytes(folder / "x", groups(kept_times(9000, 0), 0));
    const auto shrinks = open(folder / "x");
    std::filesystem::resize_file(folder / "x", 34 * 100);
    check_refused<damaged_recording>([&] { shrinks->read(0, 100, block.data()); },
                                     {"became shorter"});
}
