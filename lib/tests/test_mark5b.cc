/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include "read_by_many.h"
#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;
using io::damaged_recording;

namespace {

using bytes = std::vector<std::uint8_t>;
constexpr std::size_t frame_bytes = 10016;

std::uint32_t decimal(unsigned value)
{
    std::uint32_t digits = 0;
    for (unsigned k = 0; value > 0; k += 4, value /= 10)
        digits |= value % 10 << k;
    return digits;
}

// Frame n of a recording that begins with frame 17 of 20 in second 86399 of day 821.
bytes frame(unsigned n, bool test_vector = false)
{
    const unsigned number = 17 + n;
    const unsigned second = 821 * 86400 + 86399 + number / 20;
    const std::uint32_t words[] = {
        0xABADDEED,
        number % 20 | 0x4d5u << 16 | (test_vector ? 0x8000u : 0),
        decimal(second / 86400) << 20 | decimal(second % 86400),
        0x12340000};
    bytes out;
    for (const auto w : words)
        for (unsigned b = 0; b < 32; b += 8)
            out.push_back(static_cast<std::uint8_t>(w >> b));
    std::mt19937 random(n);
    while (out.size() < frame_bytes)
        out.push_back(static_cast<std::uint8_t>(random()));
    return out;
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams)
{
    return io::format_by_name("mark5b").open(path, {streams});
}

} // namespace

BOOST_AUTO_TEST_CASE(mark5b_is_read_with_its_lost_frames_in_place)
{
    const scratch folder;
    bytes raw;
    for (unsigned n = 0; n < 50; n++) {
        const auto f = frame(n, n == 7);
        if (n != 3 && n != 4 && n != 30)
            raw.insert(raw.end(), f.begin(), f.end());
    }
    write_bytes(folder / "x", raw);
    for (const std::size_t channels : {1, 2, 4, 8, 16})
        BOOST_TEST_CONTEXT(channels << " channels")
        {
            const auto file = open(folder / "x", channels);
            const auto& info = file->info();
            const std::size_t each = 40000 / channels; // samples of a frame
            BOOST_CHECK_EQUAL(info.streams, channels);
            BOOST_REQUIRE_EQUAL(info.samples, 50 * each);
            BOOST_CHECK_EQUAL(info.sample_rate, 20.0 * each);
            BOOST_CHECK(!info.has_start_time);
            BOOST_CHECK(info.remarks.find("MJD ...821T23:59:59.850") !=
                        std::string::npos);
            const auto& e = io::encoding_by_name("mark5b2");
            const std::size_t first = 2 * each, count = 48 * each;
            bytes block(e.bytes(channels, count));
            std::vector<io::lost_samples> lost;
            file->read(first, count, block.data(), &lost);
            std::vector<int> state(channels * 50);
            for (const auto& l : lost) {
                BOOST_REQUIRE_EQUAL(l.first % each + l.count % each, 0u);
                for (auto n = l.first / each; n < (l.first + l.count) / each; n++)
                    state[l.stream * 50 + 2 + n] = l.cause == io::loss::missing ? 1 : 2;
            }
            std::vector<std::size_t> rows(channels);
            for (std::size_t c = 0; c < channels; c++)
                rows[c] = c;
            std::vector<float> x(channels * count);
            e.unpack[1][2](block.data(), channels, count, rows.data(), x.data(), count);
            const float levels[] = {-3.3359f, 1, -1, 3.3359f}; // sign in the lower bit
            std::size_t wrong = 0;
            for (unsigned n = 2; n < 50; n++) {
                const auto f = frame(n);
                const int wanted = n == 3 || n == 4 || n == 30 ? 1 : n == 7 ? 2 : 0;
                for (std::size_t c = 0; c < channels; c++) {
                    wrong += state[c * 50 + n] != wanted;
                    for (std::size_t t = 0; wanted == 0 && t < each; t++) {
                        const std::size_t bit = 2 * (t * channels + c);
                        const auto code = f[16 + bit / 8] >> bit % 8 & 3;
                        wrong += x[c * count + (n - 2) * each + t] != levels[code];
                    }
                }
            }
            BOOST_CHECK_EQUAL(wrong, 0u);
        }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_mark5b_file)
{
    const scratch folder;
    bytes raw;
    for (unsigned n = 0; n < 300; n++) {
        const auto f = frame(n, n == 150);
        if (n % 37 != 3)
            raw.insert(raw.end(), f.begin(), f.end());
    }
    write_bytes(folder / "x", raw);
    check_read_by_many(folder / "x", "mark5b", 16, 1);
}

BOOST_AUTO_TEST_CASE(damaged_mark5b_is_refused_or_read_around)
{
    const scratch folder;
    bytes raw;
    for (unsigned n = 0; n < 40; n++) {
        const auto f = frame(n);
        raw.insert(raw.end(), f.begin(), f.end());
    }
    auto slipped = raw;
    slipped.erase(slipped.begin() + 5 * frame_bytes + 100);
    slipped.resize(slipped.size() - 5000);
    write_bytes(folder / "x", slipped);
    const auto file = open(folder / "x", 4);
    // The header behind the lost byte is found; the last frame has 5000 bytes less.
    BOOST_REQUIRE_EQUAL(file->info().samples, 39 * 10000 + 5000u);
    bytes block(10000);
    std::vector<io::lost_samples> lost;
    for (const std::size_t n : {4, 6, 38}) {
        file->read(n * 10000, 10000, block.data(), &lost);
        const auto whole = frame(static_cast<unsigned>(n));
        BOOST_CHECK(std::equal(block.begin(), block.end(), whole.begin() + 16));
    }
    BOOST_CHECK(lost.empty());
    // Where in its frame the byte was lost cannot be determined.
    file->read(5 * 10000, 10000, block.data(), &lost);
    BOOST_CHECK_EQUAL(lost.size(), 4u);
    BOOST_CHECK_EQUAL(lost.at(0).count, 10000u);
    for (const std::size_t channels : {0, 3, 32})
        check_refused<std::invalid_argument>(
            [&] { open(folder / "x", channels); },
            {folder / "x", "how many channels", std::to_string(channels)});
    write_bytes(folder / "x", bytes(20000, 7));
    check_refused<damaged_recording>([&] { open(folder / "x", 4); }, {"no frame header"});
    write_bytes(folder / "x", frame(0));
    const auto recording = open(folder / "x", 1);
    BOOST_CHECK_EQUAL(recording->info().sample_rate, 0);
    BOOST_CHECK(recording->info().remarks.find("a part of a second later") !=
                std::string::npos);
}
