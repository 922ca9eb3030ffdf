/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Headers of a KrakenSDR's frames: every field, and what is refused.
#include "io/live/kraken_frame.h"
#include <boost/test/unit_test.hpp>
#include <cstring>

using namespace gr::fringe;
using io::kraken_frame;

namespace {

using bytes = std::vector<std::uint8_t>;

void put(bytes& to, std::size_t at, std::uint64_t value, std::size_t count)
{
    for (std::size_t k = 0; k < count; ++k) {
        to.at(at + k) = static_cast<std::uint8_t>(value >> 8 * k);
    }
}

void put_big(bytes& to, std::uint32_t value)
{
    for (int k = 3; k >= 0; --k) {
        to.push_back(static_cast<std::uint8_t>(value >> 8 * k));
    }
}

bytes first()
{
    bytes b(1024, 0);
    put(b, 0, 0x2bf7b95a, 4);
    std::memcpy(b.data() + 8, "k4000", 5);
    put(b, 28, 5, 4);             // channels
    put(b, 40, 1420000000, 8);    // frequency
    put(b, 56, 2400000, 8);       // rate
    put(b, 64, 1 << 20, 4);       // samples
    put(b, 72, 1780000000123, 8); // time
    put(b, 84, 77, 4);            // number
    put(b, 100, 32, 4);           // bits
    put(b, 104, 0x12, 4);         // overdriven
    for (std::size_t k = 0; k < 5; ++k) {
        put(b, 108 + 4 * k, 402 + k, 4);
    }
    put(b, 236, 1, 4);
    return b;
}

bytes second()
{
    bytes b;
    for (const std::uint32_t word : {0x4d434851u, 2u, 2048u, 4u, 0u, 9u, 3u, 0u}) {
        put_big(b, word);
    }
    for (int k = 0; k < 2; ++k) {
        for (const float value : {1.42e9f, 40.5f}) {
            std::uint32_t word = 0;
            std::memcpy(&word, &value, sizeof word);
            b.resize(b.size() + 4);
            put(b, b.size() - 4, word, 4);
        }
    }
    return b;
}

kraken_frame read(unsigned version, const bytes& b)
{
    return kraken_frame::read(version, b.data(), b.size(), "host:1");
}

void refused(unsigned version, const bytes& b, const std::string& words)
{
    BOOST_CHECK_EXCEPTION(
        read(version, b), std::invalid_argument, [&](const std::exception& e) {
            const std::string sentence = e.what();
            BOOST_TEST_MESSAGE(sentence);
            return sentence.rfind("host:1: " + words, 0) == 0;
        });
}

} // namespace

BOOST_AUTO_TEST_CASE(fields_of_version_1)
{
    const kraken_frame f = read(1, first());
    BOOST_CHECK_EQUAL(f.channels, 5u);
    BOOST_CHECK_EQUAL(f.samples, 1u << 20);
    BOOST_CHECK_EQUAL(f.payload_bytes(), 5u * 8u << 20);
    BOOST_CHECK_EQUAL(f.left_out, "");
    BOOST_CHECK_EQUAL(f.frequency, 1.42e9);
    BOOST_CHECK_EQUAL(f.sample_rate, 2.4e6);
    BOOST_CHECK_EQUAL(*f.milliseconds, 1780000000123);
    BOOST_CHECK_EQUAL(*f.number, 77u);
    BOOST_CHECK_EQUAL(f.overdriven, 0x12u);
    BOOST_CHECK_EQUAL(f.gains.at(4), 40.6);
    BOOST_CHECK_EQUAL(f.hardware, "k4000");
    BOOST_CHECK(f.delays_aligned);
    BOOST_CHECK(!f.phases_aligned);
    BOOST_CHECK_EQUAL(kraken_frame::bytes_of_header(1, nullptr, 0, ""), 1024u);
}

BOOST_AUTO_TEST_CASE(fields_of_version_2)
{
    const kraken_frame f = read(2, second());
    BOOST_CHECK_EQUAL(f.channels, 2u);
    BOOST_CHECK_EQUAL(f.payload_bytes(), 2u * 2u * 2048u);
    BOOST_CHECK_EQUAL(f.left_out, "");
    BOOST_CHECK_EQUAL(f.frequency, static_cast<double>(1.42e9f));
    BOOST_CHECK_EQUAL(f.sample_rate, 0);
    BOOST_CHECK(!f.milliseconds && !f.number);
    BOOST_CHECK_EQUAL(f.gains.at(1), 40.5);
    BOOST_CHECK(f.delays_aligned && f.phases_aligned);
    BOOST_CHECK_EQUAL(kraken_frame::bytes_of_header(2, second().data(), 8, ""), 32u);
    BOOST_CHECK_EQUAL(kraken_frame::bytes_of_header(2, second().data(), 32, ""), 48u);
    bytes b = second();
    b[14] = 1; // calibrated by its user: the state is in the low byte
    BOOST_CHECK(read(2, b).delays_aligned && read(2, b).phases_aligned);
    b[14] = 3; // and tuned since then
    BOOST_CHECK(read(2, b).delays_aligned && !read(2, b).phases_aligned);
}

BOOST_AUTO_TEST_CASE(what_is_left_out)
{
    const char* types[] = {"", "dummy", "ramp", "calibration", "trigger"};
    for (std::size_t type = 0; type < 5; ++type) {
        bytes b = first();
        put(b, 4, type, 4);
        BOOST_CHECK_EQUAL(read(1, b).left_out, types[type]);
    }
    bytes noisy = first();
    put(noisy, 248, 1, 4);
    BOOST_CHECK_EQUAL(read(1, noisy).left_out, "noise source");
    bytes dummy = first(); // it has no samples
    put(dummy, 4, 1, 4);
    put(dummy, 64, 0, 4);
    BOOST_CHECK_EQUAL(read(1, dummy).payload_bytes(), 0u);
    bytes b = second();
    b[19] = 1;
    BOOST_CHECK_EQUAL(read(2, b).left_out, "noise source");
    b = second();
    b[31] = 1;
    BOOST_CHECK_EQUAL(read(2, b).left_out, "retuning");
}

BOOST_AUTO_TEST_CASE(what_is_refused)
{
    const struct {
        std::size_t at;
        std::uint64_t value;
        std::size_t count;
        const char* words;
    } wrong[] = {{0, 1, 4, "sync_word: 1: must be"},
                 {4, 5, 4, "frame_type: 5: must be 0 to 4"},
                 {28, 0, 4, "active_ant_chs: 0: must be 1 to 32"},
                 {28, 33, 4, "active_ant_chs: 33"},
                 {40, 1ull << 60, 8, "rf_center_freq: "},
                 {56, 0, 8, "sampling_freq: 0"},
                 {64, 0, 4, "cpi_length: 0: must be 1 to 16777216"},
                 {64, 0xffffffff, 4, "cpi_length: 4294967295"},
                 {72, ~0ull, 8, "time_stamp: "},
                 {100, 16, 4, "sample_bit_depth: 16: must be 32"}};
    for (const auto& w : wrong) {
        bytes b = first();
        put(b, w.at, w.value, w.count);
        refused(1, b, w.words);
    }
    bytes b = second();
    b[0] = 'X';
    refused(2, b, "magic: ");
    b = second();
    b[7] = 6;
    refused(2, b, "num_channels: 6: must be 1 to 5");
    b = second();
    b[9] = 2;
    refused(2, b, "samples_per_channel: ");
    b = second();
    b[19] = 2;
    refused(2, b, "noise_source: 2");
    b = second();
    put(b, 40, 0x4e000000, 4); // another frequency in channel 1
    refused(2, b, "frequency_hz: ");
    b = second();
    put(b, 36, 0x7fc00000, 4); // a gain that is no number
    refused(2, b, "gain_db: ");
    refused(1, bytes(1023, 0), "header: 1023: must be 1024 bytes");
    refused(3, first(), "version: 3: must be 1 or 2");
}
