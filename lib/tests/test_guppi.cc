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

using namespace gr::fringe;
using io::damaged_recording;

namespace {

using bytes = std::vector<std::uint8_t>;
constexpr std::size_t channels = 3, polarizations = 2, length = 100, overlap = 20;
constexpr std::size_t net = length - overlap;

std::uint8_t value(std::size_t channel, std::uint64_t time, std::size_t part)
{
    return static_cast<std::uint8_t>(channel * 97 + time * 5 + part * 31 + time / 256);
}

std::string card(const std::string& key, const std::string& text)
{
    std::string c = key;
    c.resize(8, ' ');
    c += "= " + text + " / said so";
    c.resize(80, ' ');
    return c;
}

// Block n, of 16 packets' time.
bytes block(std::uint64_t n, bool direct, const std::string& more = "")
{
    std::string head =
        card("TELESCOP", "'GBT     '") + card("SRC_NAME", "'B0329+54'") +
        card("OBSNCHAN", "3") + card("NPOL", "4") + card("NBITS", "8") +
        card("OBSFREQ", "1500.5") + card("OBSBW", "-9.375") + card("TBIN", "3.2E-07") +
        card("BLOCSIZE", "1200") + card("OVERLAP", "20") + card("PIPERBLK", "16") +
        card("PKTIDX", std::to_string(32 + 16 * n)) + card("STT_IMJD", "57000") +
        card("STT_SMJD", "3600") + card("STT_OFFS", "0.25") +
        card("DIRECTIO", direct ? "1" : "0") + more + "END";
    head.resize((head.size() + 79) / 80 * 80, ' ');
    if (direct)
        head.resize((head.size() + 511) / 512 * 512, ' ');
    bytes out(head.begin(), head.end());
    for (std::size_t c = 0; c < channels; c++)
        for (std::size_t t = 0; t < length; t++)
            for (std::size_t p = 0; p < 2 * polarizations; p++)
                out.push_back(value(c, n * net + t, p));
    return out;
}

bytes blocks(const std::vector<std::uint64_t>& numbers, bool direct)
{
    bytes out;
    for (const auto n : numbers) {
        const auto b = block(n, direct);
        out.insert(out.end(), b.begin(), b.end());
    }
    return out;
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return io::format_by_name("guppi").open(path, {streams});
}

} // namespace

BOOST_AUTO_TEST_CASE(guppi_is_read_with_lost_blocks_in_place)
{
    const scratch folder;
    for (const bool direct : {false, true}) {
        write_bytes(folder / "x", blocks({0, 1, 4, 5}, direct));
        const auto file = open(folder / "x", 6);
        const auto& info = file->info();
        BOOST_CHECK_EQUAL(info.encoding, "ci8");
        BOOST_CHECK_EQUAL(info.parts, channels);
        BOOST_CHECK_EQUAL(info.telescope, "GBT");
        BOOST_CHECK_EQUAL(info.remarks,
                          "B0329+54, OBSBW is negative: the band is upside down");
        BOOST_CHECK_EQUAL(info.sample_rate, 3125000);
        BOOST_CHECK_EQUAL(info.center_frequency, 1500.5e6);
        // MJD 57000 is 2014-12-09; 32 packets are two blocks, 160 samples.
        BOOST_CHECK_EQUAL(info.start_time.iso(7), "2014-12-09T01:00:00.2500512");
        BOOST_REQUIRE_EQUAL(info.samples, 5 * net + length);
        for (const std::size_t step : {500, 80, 33})
            for (std::size_t first = 0; first < 500; first += step) {
                const std::size_t count = std::min<std::size_t>(step, 500 - first);
                bytes out(count * channels * 2 * polarizations, 0xee);
                std::vector<io::lost_samples> lost;
                file->read(first, count, out.data(), &lost);
                std::vector<int> bad(6 * count);
                for (const auto& l : lost)
                    for (auto t = l.first; t < l.first + l.count; t++)
                        bad[l.stream * count + t]++;
                std::size_t wrong = 0;
                for (std::size_t c = 0; c < channels; c++)
                    for (std::size_t t = 0; t < count; t++)
                        for (std::size_t p = 0; p < 4; p++) {
                            const std::size_t n = first + t;
                            // Block 1's overlap is the only copy of 20 samples.
                            const bool gone = n >= 180 && n < 320;
                            wrong += out[(c * count + t) * 4 + p] !=
                                     (gone ? 0 : value(c, n, p));
                            wrong += bad[(2 * c + p / 2) * count + t] != gone;
                        }
                BOOST_CHECK_EQUAL(wrong, 0u);
            }
    }
}

BOOST_AUTO_TEST_CASE(a_coarse_channel_is_read_alone_at_its_frequency)
{
    const scratch folder;
    write_bytes(folder / "x", blocks({0, 1, 4, 5}, true));
    const auto all = open(folder / "x");
    BOOST_CHECK_EQUAL(all->info().coarse_channels, channels);
    BOOST_CHECK(all->info().inverted);
    const std::size_t samples = 5 * net + length, each = samples * 2 * polarizations;
    bytes whole(channels * each);
    all->read(0, samples, whole.data());
    for (std::size_t c = 0; c < channels; c++) {
        const auto& format = io::format_by_name("guppi:" + std::to_string(c));
        const auto file = format.open(folder / "x", {2});
        const auto& info = file->info();
        BOOST_CHECK_EQUAL(info.streams, 2u);
        BOOST_CHECK_EQUAL(info.parts, 1u);
        BOOST_CHECK_EQUAL(info.samples, samples);
        BOOST_CHECK_EQUAL(info.coarse_channels, 1u);
        BOOST_CHECK(info.inverted);
        // -9.375 MHz of three channels around 1500.5 MHz: they go down.
        BOOST_CHECK_CLOSE(
            info.center_frequency, (1500.5 + 3.125 - 3.125 * c) * 1e6, 1e-12);
        bytes block(each, 0xee);
        std::vector<io::lost_samples> lost;
        file->read(0, samples, block.data(), &lost);
        BOOST_CHECK(std::equal(block.begin(), block.end(), whole.begin() + c * each));
        for (const auto& l : lost)
            BOOST_CHECK(l.stream < 2 && l.first == 180 && l.count == 140);
        BOOST_CHECK_EQUAL(lost.size(), 2u);
        check_read_by_many(folder / "x", format.name, 2, 2);
    }
    check_refused<std::invalid_argument>(
        [&] { io::format_by_name("guppi:3").open(folder / "x", {}); },
        {"holds 3 coarse channels", "no 3"});
    for (const std::string name : {"guppi:", "guppi:x", "guppi:-1", "ci8:0", "none:0"})
        check_refused<std::invalid_argument>([&] { io::format_by_name(name); },
                                             {"format: "});
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_guppi_file)
{
    const scratch folder;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t n = 0; n < 300; n++)
        if (n % 50 != 7)
            numbers.push_back(n);
    write_bytes(folder / "x", blocks(numbers, true));
    check_read_by_many(folder / "x", "guppi", 6, 3);
}

BOOST_AUTO_TEST_CASE(damaged_guppi_is_refused_or_read_to_the_cut)
{
    const scratch folder;
    auto raw = blocks({0, 1, 2}, false);
    raw.resize(raw.size() - 1);
    write_bytes(folder / "x", raw);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().samples, net + length);
    check_refused<std::invalid_argument>([&] { open(folder / "x", 4); },
                                         {"3 channels of 2", "4"});
    bytes out(6000);
    check_refused<std::invalid_argument>(
        [&] { open(folder / "x")->read(180, 1, out.data()); }, {"180 samples"});
    raw.resize(2000);
    write_bytes(folder / "x", raw);
    check_refused<damaged_recording>([&] { open(folder / "x"); }, {"truncated", "2000"});
    write_bytes(folder / "x", bytes(5000, 65));
    check_refused<damaged_recording>([&] { open(folder / "x"); }, {"at byte 0", "END"});
    raw = blocks({0, 1}, false);
    raw.erase(raw.begin() + raw.size() / 2 - 1);
    write_bytes(folder / "x", raw);
    const auto slipped = open(folder / "x");
    BOOST_CHECK(slipped->info().remarks.find("damaged from sample 100 on") !=
                std::string::npos);
    slipped->read(0, 100, out.data());
    check_refused<damaged_recording>([&] { slipped->read(90, 11, out.data()); },
                                     {"header at byte", "END"});
    const std::pair<std::string, std::string> wrong[] = {
        {"OBSNCHAN", "7"}, {"BLOCSIZE", "-12"}, {"OVERLAP", "100"}};
    for (const auto& w : wrong) {
        write_bytes(folder / "x", block(0, false, card(w.first, w.second)));
        check_refused<damaged_recording>([&] { open(folder / "x"); },
                                         {w.first, w.second});
    }
    write_bytes(folder / "x", block(0, false, card("NBITS", "2")));
    check_refused<std::invalid_argument>([&] { open(folder / "x"); }, {"NBITS 2"});
    write_bytes(folder / "x", block(0, false, card("NPOL", "x")));
    check_refused<std::invalid_argument>([&] { open(folder / "x"); },
                                         {"NPOL x", "1, 2, 4"});
}
