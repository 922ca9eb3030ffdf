/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording.h"
#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

using namespace gr::fringe;
using io::damaged_recording;

namespace {

using bytes = std::vector<std::uint8_t>;

const std::string fields = "HDR_SIZE 4096 # bytes\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\n"
                           "TSAMP 0.0625 # microseconds\nTELESCOPE Effelsberg\n"
                           "UTC_START 2013-07-02-01:37:40\nOBS_OFFSET 6400000032\n"
                           "FREQ 320.5\nBW 48\nSOURCE 2016+28\n";

// A header of those fields and `count` bytes that count up.
void make(const std::string& path,
          const std::string& header,
          std::size_t count,
          std::size_t header_bytes = 4096)
{
    bytes raw(header.begin(), header.end());
    raw.resize(header_bytes);
    for (std::size_t n = 0; n < count; n++)
        raw.push_back(static_cast<std::uint8_t>(n * 7));
    write_bytes(path, raw);
}

std::string with(const std::string& from, const std::string& to)
{
    std::string text = fields;
    const auto at = text.find(from);
    return at == std::string::npos ? text + to + "\n" : text.replace(at, from.size(), to);
}

std::unique_ptr<io::recording> open(const std::string& path, std::size_t streams = 0)
{
    return io::format_by_name("dada").open(path, {streams});
}

} // namespace

BOOST_AUTO_TEST_CASE(dada_is_read_as_its_header_says)
{
    const scratch folder;
    make(folder / "x", fields, 12 * 1000);
    const auto file = open(folder / "x", 6);
    const auto& info = file->info();
    BOOST_CHECK_EQUAL(info.encoding, "ci8");
    BOOST_CHECK_EQUAL(info.streams, 6u);
    BOOST_CHECK_EQUAL(info.samples, 1000u);
    BOOST_CHECK_EQUAL(info.sample_rate, 16e6);
    BOOST_CHECK_EQUAL(info.center_frequency, 320.5e6);
    BOOST_CHECK_EQUAL(info.telescope, "Effelsberg");
    BOOST_CHECK_EQUAL(info.remarks, "2016+28");
    // 6400000032 / 12 samples at 16 MHz behind the start.
    BOOST_CHECK_EQUAL(info.start_time.iso(9), "2013-07-02T01:38:13.333333500");
    bytes block(12 * 10);
    file->read(990, 10, block.data());
    for (std::size_t n = 0; n < block.size(); n++)
        BOOST_REQUIRE_EQUAL(block[n], static_cast<std::uint8_t>((990 * 12 + n) * 7));
    check_refused<std::invalid_argument>([&] { file->read(991, 10, block.data()); },
                                         {"1000 samples"});
}

BOOST_AUTO_TEST_CASE(a_coarse_channel_is_read_alone_at_its_frequency)
{
    const scratch folder;
    for (const int sign : {1, -1}) {
        make(folder / "x", with("BW 48", sign > 0 ? "BW 48" : "BW -48"), 12 * 50000);
        bytes whole(12 * 50000);
        open(folder / "x")->read(0, 50000, whole.data());
        for (std::size_t c = 0; c < 3; c++) {
            const auto& format = io::format_by_name("dada:" + std::to_string(c));
            const auto file = format.open(folder / "x", {});
            const auto& info = file->info();
            BOOST_CHECK_EQUAL(info.streams, 2u);
            BOOST_CHECK_EQUAL(info.samples, 50000u);
            BOOST_CHECK_EQUAL(info.sample_rate, 16e6);
            BOOST_CHECK_EQUAL(info.inverted, sign < 0);
            BOOST_CHECK_CLOSE(info.center_frequency,
                              (320.5 + sign * 16.0 * (static_cast<double>(c) - 1)) * 1e6,
                              1e-12);
            BOOST_CHECK(info.start_time == open(folder / "x")->info().start_time);
            bytes block(4 * 49990);
            file->read(10, 49990, block.data());
            std::size_t wrong = 0;
            for (std::size_t n = 0; n < block.size(); n++)
                wrong += block[n] != whole[(10 + n / 4) * 12 + 4 * c + n % 4];
            BOOST_CHECK_EQUAL(wrong, 0u);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_kind_of_dada_samples_is_known)
{
    const scratch folder;
    const auto encoding = [&](const std::string& text) {
        make(folder / "x", text, 480);
        return open(folder / "x")->info().encoding;
    };
    std::string real = with("NDIM 2", "NDIM 1");
    BOOST_CHECK_EQUAL(encoding(real.replace(real.find("BW 48"), 5, "BW 24")), "i8");
    BOOST_CHECK_EQUAL(encoding(with("NBIT 8", "NBIT 16")), "ci16");
    BOOST_CHECK_EQUAL(encoding(with("NBIT 8", "NBIT 32")), "cf32");
    BOOST_CHECK_EQUAL(encoding(with("NBIT 8", "NBIT 8\nENCODING OFFSETBINARY")),
                      "cu8_128");
    BOOST_CHECK_EQUAL(encoding(with("NBIT 8", "NBIT 16\nENCODING OFFSETBINARY")), "cu16");
    BOOST_CHECK_EQUAL(encoding(with("NBIT 8", "NBIT 16\nENCODING TWOSCOMPLEMENT")),
                      "ci16");
    // A longer header, with a field behind its first 4096 bytes.
    std::string longer = with("HDR_SIZE 4096", "HDR_SIZE 8192");
    longer += std::string(4100, ' ') + "\nPICOSECONDS 250000000000\n";
    make(folder / "x", longer, 480, 8192);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().start_time.iso(9),
                      "2013-07-02T01:38:13.583333500");
    make(folder / "x", with("UTC_START 2013-07-02-01:37:40", ""), 480);
    BOOST_CHECK(!open(folder / "x")->info().has_start_time);
    make(folder / "x", with("BW 48", "BW -48"), 480);
    BOOST_CHECK(open(folder / "x")->info().remarks.find("upside") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(damaged_dada_is_refused_or_read_to_the_cut)
{
    const scratch folder;
    make(folder / "x", fields, 12 * 1000 + 5);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().samples, 1000u);
    BOOST_CHECK_EQUAL(open(folder / "x")->info().remarks, "2016+28, cut within a sample");
    check_refused<std::invalid_argument>([&] { open(folder / "x", 4); },
                                         {folder / "x", "3 channels of 2", "4"});
    make(folder / "x", fields, 11);
    check_refused<damaged_recording>([&] { open(folder / "x"); },
                                     {"truncated", "12-byte sample"});
    make(folder / "x", fields, 0, 2000);
    check_refused<damaged_recording>([&] { open(folder / "x"); }, {"truncated", "2000"});
    write_bytes(folder / "x", bytes(9000, 1));
    check_refused<std::invalid_argument>([&] { open(folder / "x"); },
                                         {"not a PSRDADA file", "HDR_SIZE"});
    const std::pair<std::string, std::string> wrong[] = {
        {"HDR_SIZE 4096", "HDR_SIZE many"},
        {"NPOL 2", "NPOL 0"},
        {"NCHAN 3", "NCHAN 1.5"},
        {"TSAMP 0.0625", "TSAMP fast"},
        {"OBS_OFFSET 6400000032", "OBS_OFFSET -1"},
        {"FREQ 320.5", "FREQ nan"}};
    for (const auto& w : wrong) {
        make(folder / "x", with(w.first, w.second), 480);
        check_refused<damaged_recording>([&] { open(folder / "x"); },
                                         {w.second.substr(0, w.second.find(' ')),
                                          w.second.substr(w.second.find(' ') + 1)});
    }
    make(folder / "x", with("2013-07-02-01:37:40", "2013-07-02-25:37:40"), 480);
    check_refused<damaged_recording>([&] { open(folder / "x"); }, {"UTC_START"});
    make(folder / "x", with("NBIT 8", "NBIT 2"), 480);
    check_refused<std::invalid_argument>([&] { open(folder / "x"); }, {"NBIT 2"});
    make(folder / "x", with("NDIM 2", "NDIM 3"), 480);
    check_refused<std::invalid_argument>([&] { open(folder / "x"); }, {"NDIM 3", "1, 2"});
    make(folder / "x", with("ORDER", "ORDER FTP"), 480);
    check_refused<std::invalid_argument>([&] { open(folder / "x"); },
                                         {"ORDER FTP", "TFP"});
    // Floats that are not finite are found where they are.
    bytes raw(fields.begin(), fields.end());
    const auto text = with("NBIT 8", "NBIT 32");
    raw.assign(text.begin(), text.end());
    raw.resize(4096 + 48 * 10);
    const float bad = NAN;
    std::memcpy(&raw[4096 + 48 * 3], &bad, 4);
    write_bytes(folder / "x", raw);
    const auto file = open(folder / "x");
    bytes block(480);
    file->read(0, 3, block.data());
    check_refused<damaged_recording>([&] { file->read(3, 3, block.data()); },
                                     {"byte 4240", "sample 3 of stream 0", "NaN"});
}
