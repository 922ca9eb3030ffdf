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

const std::string one_capture =
    R"({"core:sample_start": 0, "core:frequency": 1420405751.5,
        "core:datetime": "2026-06-12T11:20:40.25Z"})";

std::string metadata(const std::string& type,
                     const std::string& more = "",
                     const std::string& captures = one_capture)
{
    return "{\n\t\"global\": {\n\t\t\"core:datatype\": \"" + type +
           "\",\n\"core:sample_rate\": 2400000, \"core:version\": \"1.0.0\"" + more +
           "},\n\"captures\": [" + captures + "],\n\"annotations\": []\n}\n";
}

void make(const std::string& base, const std::string& text, std::size_t count)
{
    write_bytes(base + ".sigmf-meta", bytes(text.begin(), text.end()));
    bytes raw(count);
    for (std::size_t n = 0; n < count; n++)
        raw[n] = static_cast<std::uint8_t>(n * 7 + n / 256);
    write_bytes(base + ".sigmf-data", raw);
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return io::format_by_name("sigmf").open(path, {streams});
}

} // namespace

BOOST_AUTO_TEST_CASE(sigmf_is_read_as_its_metadata_says)
{
    const scratch folder;
    make(folder / "x",
         metadata("ci16_le",
                  ", \"core:num_channels\": 3, \"core:description\": \"Two\"",
                  one_capture),
         12 * 500);
    for (const std::string name : {"x", "x.sigmf-meta", "x.sigmf-data"}) {
        const auto file = open(folder / name, 3);
        const auto& info = file->info();
        BOOST_CHECK_EQUAL(info.encoding, "ci16");
        BOOST_CHECK_EQUAL(info.streams, 3u);
        BOOST_CHECK_EQUAL(info.samples, 500u);
        BOOST_CHECK_EQUAL(info.sample_rate, 2.4e6);
        BOOST_CHECK_EQUAL(info.center_frequency, 1420405751.5);
        BOOST_CHECK(info.has_start_time);
        BOOST_CHECK_EQUAL(info.start_time.iso(3), "2026-06-12T11:20:40.250");
        BOOST_CHECK_EQUAL(info.remarks, "Two");
        bytes block(12 * 100);
        std::vector<io::lost_samples> lost;
        file->read(400, 100, block.data(), &lost);
        const auto raw = read_bytes(folder / "x.sigmf-data");
        BOOST_CHECK(std::equal(block.begin(), block.end(), raw.begin() + 12 * 400));
        BOOST_CHECK(lost.empty());
        check_refused<std::invalid_argument>([&] { file->read(401, 100, block.data()); },
                                             {"500 samples"});
    }
}

BOOST_AUTO_TEST_CASE(every_kind_of_sigmf_samples_is_known)
{
    const scratch folder;
    const std::pair<const char*, const char*> kinds[] = {{"cf32_le", "cf32"},
                                                         {"ci16_le", "ci16"},
                                                         {"cu16_le", "cu16"},
                                                         {"ci8", "ci8"},
                                                         {"cu8", "cu8"},
                                                         {"rf32_le", "f32"},
                                                         {"ri16_le", "i16"},
                                                         {"ru16_le", "u16"},
                                                         {"ri8", "i8"},
                                                         {"cf32_be", "cf32"},
                                                         {"ri16_be", "i16"},
                                                         {"ru8", "u8"}};
    for (const auto& k : kinds) {
        make(folder / "x", metadata(k.first), 800);
        BOOST_CHECK_EQUAL(open(folder / "x")->info().encoding, k.second);
    }
    for (const std::string wrong : {"cf32", "ci8_be", "cf64_le", "ci4", ""}) {
        make(folder / "x", metadata(wrong), 800);
        check_refused<std::invalid_argument>(
            [&] { open(folder / "x"); }, {"core:datatype '" + wrong + "'", "cf32_le"});
    }
}

BOOST_AUTO_TEST_CASE(samples_missing_between_captures_keep_their_place)
{
    const scratch folder;
    const std::string by_index = R"({"core:sample_start": 0, "core:global_index": 5000},
        {"core:sample_start": 300, "core:global_index": 5400},
        {"core:sample_start": 700, "core:global_index": 5800})";
    const std::string by_time = R"({"core:datetime": "2026-06-12T11:20:40Z"},
        {"core:sample_start": 300, "core:datetime": "2026-06-12T11:20:40.000166667Z"},
        {"core:sample_start": 700, "core:datetime": "2026-06-12T11:20:40.000333Z"})";
    for (const auto& captures : {by_index, by_time}) {
        make(folder / "x", metadata("cu8", "", captures), 2 * 1000);
        const auto raw = read_bytes(folder / "x.sigmf-data");
        const auto file = open(folder / "x");
        BOOST_REQUIRE_EQUAL(file->info().samples, 1100u);
        BOOST_CHECK(file->info().remarks.find("100 samples missing") !=
                    std::string::npos);
        for (const std::size_t step : {1100, 50, 7})
            for (std::size_t first = 0; first < 1100; first += step) {
                const std::size_t count = std::min<std::size_t>(step, 1100 - first);
                bytes block(2 * count, 1);
                std::vector<io::lost_samples> lost;
                file->read(first, count, block.data(), &lost);
                std::vector<bool> bad(count);
                for (const auto& l : lost)
                    for (auto t = l.first; t < l.first + l.count; t++)
                        bad[t] = true;
                std::size_t wrong = 0;
                for (std::size_t t = 0; t < 2 * count; t++) {
                    const std::size_t n = first + t / 2;
                    const bool gone = n >= 300 && n < 400;
                    const std::size_t at = (n < 300 ? n : n - 100) * 2 + t % 2;
                    wrong += bad[t / 2] != gone || block[t] != (gone ? 127 : raw[at]);
                }
                BOOST_CHECK_EQUAL(wrong, 0u);
            }
    }
}

BOOST_AUTO_TEST_CASE(many_threads_read_one_sigmf_recording)
{
    const scratch folder;
    const std::string captures = R"({"core:sample_start": 0, "core:global_index": 0},
        {"core:sample_start": 4000, "core:global_index": 4100},
        {"core:sample_start": 9000, "core:global_index": 9900})";
    make(folder / "x", metadata("cu8", "", captures), 2 * 20000);
    BOOST_REQUIRE_EQUAL(open(folder / "x")->info().samples, 20900u);
    check_read_by_many(folder / "x", "sigmf", 0, 4);
}

BOOST_AUTO_TEST_CASE(damaged_sigmf_is_refused_or_read_to_the_cut)
{
    const scratch folder;
    const auto refused =
        [&](auto error, const std::string& text, const std::vector<std::string>& words) {
            make(folder / "x", text, 800);
            check_refused<decltype(error)>([&] { open(folder / "x"); }, words);
        };
    const damaged_recording damaged("");
    const std::invalid_argument wrong("");
    make(folder / "x", metadata("ci16_le"), 803);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().samples, 200u);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().remarks, "cut within a sample");
    check_refused<std::invalid_argument>([&] { open(folder / "x", 2); },
                                         {"says 1 channels", "2"});
    // The second capture is not in a file that was cut before it.
    make(folder / "x",
         metadata("ci8", "", R"({"core:global_index": 0},
            {"core:sample_start": 900, "core:global_index": 2000})"),
         800);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().samples, 400u);
    make(folder / "x", metadata("ci8", "", R"({"core:header_bytes": 200})"), 800);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().samples, 300u);
    make(folder / "x", metadata("ci8", "", ""), 800);
    BOOST_CHECK(!open(folder / "x")->info().has_start_time);

    refused(damaged, "{\"global\": ", {"x.sigmf-meta"});
    refused(damaged, "[1, 2]", {"x.sigmf-meta", "global"});
    refused(damaged, "{\"global\": 3}", {"x.sigmf-meta", "global"});
    // What YAML would read.
    refused(damaged, "global: {core:datatype: ci8}", {"x.sigmf-meta", "not JSON"});
    refused(damaged, std::string(1 << 20, '['), {"x.sigmf-meta", "not JSON"});
    refused(damaged, metadata("ci8", ", \"core:num_channels\": 1.5"), {"num_channels"});
    refused(damaged, metadata("ci8", ", \"core:num_channels\": 0"), {"at least 1"});
    refused(damaged,
            metadata("ci8", "", R"({"core:datetime": "noon"})"),
            {"datetime", "noon"});
    refused(damaged,
            metadata("ci8", "", R"({"core:sample_start": -5})"),
            {"sample_start", "-5"});
    refused(damaged,
            metadata("ci8", "", R"({"core:frequency": "high"})"),
            {"frequency", "high", "not a number"});
    refused(damaged,
            metadata("ci8", "", R"({}, {"core:sample_start": 50},
        {"core:sample_start": 40})"),
            {"sample_start", "40"});
    refused(wrong,
            metadata("ci8", "", R"({"core:frequency": 1e9},
        {"core:sample_start": 50, "core:frequency": 2e9})"),
            {"frequency changes at sample 50"});
    make(folder / "x", metadata("ci8"), 1);
    check_refused<damaged_recording>([&] { open(folder / "x"); },
                                     {"x.sigmf-data", "truncated"});
    std::filesystem::remove(folder / "x.sigmf-data");
    check_refused<std::invalid_argument>([&] { open(folder / "x"); },
                                         {"x.sigmf-data", "cannot be read"});
    std::filesystem::remove(folder / "x.sigmf-meta");
    check_refused<std::invalid_argument>([&] { open(folder / "x"); },
                                         {"x.sigmf-meta", "cannot be read"});
}
