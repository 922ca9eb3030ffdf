/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "io/packets/packet_receiver.h"
#include "io/packets/udp_capture.h"
#include "kernel_cases.h"
#include <arpa/inet.h>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

using namespace gr::fringe;
using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;
using settings_map = std::map<std::string, std::string>;

void put(bytes& to, std::size_t at, std::uint64_t v, unsigned width)
{
    for (unsigned k = 0; k < width; ++k) {
        to[at + k] = static_cast<std::uint8_t>(v >> 8 * (width - 1 - k));
    }
}

bytes mwa_packet(unsigned input, std::uint32_t second, unsigned number)
{
    bytes p(4112);
    p[0] = 0x20;
    p[1] = 109;
    put(p, 2, input, 2);
    put(p, 4, second, 4);
    put(p, 8, number, 2);
    return p;
}

std::string refusal(const std::string& preset, const settings_map& settings)
{
    try {
        packet_layout_of(preset, settings);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

std::string yaml_refusal(const std::string& text)
{
    packet_settings settings("x.yml", {});
    try {
        packet_layout_from_yaml(text, "x.yml", settings).check();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

const std::string good_yaml = "header_bytes: 8\n"
                              "samples: 100\n"
                              "code: i8\n"
                              "tick_rate: 1e6\n"
                              "fields: {count: {offset: 0, bytes: 4}}\n"
                              "time: [{field: count, step: 100}]\n";

std::string with(std::string text, const std::string& what, const std::string& by)
{
    return text.replace(text.find(what), what.size(), by);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_header_of_mwa_is_read)
{
    packet_parser parser(packet_layout_of("mwa", {{"gps_leap_seconds", "18"}}), 8);
    const bytes p = mwa_packet(5, 1445000000, 624);
    const parsed_packet got = parser.parse(p.data(), p.size());
    BOOST_REQUIRE(got.what == parsed_packet::outcome::good);
    BOOST_TEST(got.part == 5u);
    BOOST_TEST(got.time == 1445000000ll * 1280000 + 624 * 2048);
    const epoch t = parser.layout().instant(*parser.layout().epoch, got.time);
    BOOST_TEST(t.seconds == 1445000000u + 315964800u - 18u);
    BOOST_TEST(t.attos == 998400000000000000u);
    const auto what = [&](const bytes& packet) {
        return parser.parse(packet.data(), packet.size()).what;
    };
    BOOST_CHECK(what(mwa_packet(5, 1445000000, 625)) == parsed_packet::outcome::garbled);
    BOOST_CHECK(what(mwa_packet(8, 1445000000, 0)) == parsed_packet::outcome::foreign);
    bytes other = mwa_packet(5, 1445000000, 0); // The first packet chose the channel.
    other[1] = 110;
    BOOST_CHECK(what(other) == parsed_packet::outcome::foreign);
    other = mwa_packet(5, 1445000000, 0);
    other.pop_back();
    BOOST_CHECK(what(other) == parsed_packet::outcome::damaged);
    other.resize(9);
    BOOST_CHECK(what(other) == parsed_packet::outcome::garbled);
}

namespace {

parsed_packet parsed(const std::string& preset,
                     const settings_map& settings,
                     std::size_t sources,
                     const bytes& p,
                     std::string* time = nullptr)
{
    const packet_layout l = packet_layout_of(preset, settings);
    packet_parser parser(l, sources * l.channel_blocks());
    const parsed_packet got = parser.parse(p.data(), p.size());
    if (time) {
        *time = l.instant(l.epoch.value_or(epoch()), got.time).iso(18);
    }
    return got;
}

bytes snap2_packet()
{
    bytes p(32 + 96 * 64);
    put(p, 0, 1000001, 8);    // spectrum
    put(p, 8, 1780000000, 4); // UNIX second of the synchronization
    put(p, 12, 64, 2);
    put(p, 14, 704, 2);
    put(p, 16, 96, 2);
    put(p, 18, 192, 2);
    put(p, 20, 1, 4);
    put(p, 24, 1024 + 96, 4); // first channel
    put(p, 28, 128, 4);       // first signal
    return p;
}

} // namespace

BOOST_AUTO_TEST_CASE(headers_of_spectra_are_read)
{
    using outcome = parsed_packet::outcome;
    const settings_map snap2{{"channels", "192"}, {"first_channel", "1024"}};
    std::string time;
    bytes p = snap2_packet();
    parsed_packet got = parsed("snap2", snap2, 11, p, &time);
    BOOST_REQUIRE(got.what == outcome::good);
    BOOST_TEST(got.part == 2u * 2 + 1);
    BOOST_TEST(got.payload == p.data() + 32);
    // 1000001 * 8192 / 196e6 s = 41.795960163265306122... s
    BOOST_TEST(time == "2026-05-28T20:27:21.795960163265306122");
    BOOST_CHECK(parsed("snap2", snap2, 2, p).what == outcome::foreign);
    const auto changed = [&](std::size_t at, std::uint64_t v, unsigned width) {
        bytes other = p;
        put(other, at, v, width);
        return parsed("snap2", snap2, 11, other).what;
    };
    BOOST_CHECK(changed(24, 1024 + 192, 4) == outcome::foreign); // not received
    BOOST_CHECK(changed(24, 1023, 4) == outcome::foreign);
    BOOST_CHECK(changed(24, 1025, 4) == outcome::foreign); // across two blocks
    BOOST_CHECK(changed(28, 63, 4) == outcome::garbled);
    BOOST_CHECK(changed(16, 95, 2) == outcome::garbled);
    p.pop_back();
    BOOST_CHECK(parsed("snap2", snap2, 11, p).what == outcome::damaged);

    p = bytes(16 + 8192);
    p[0] = 0x82;
    p[1] = 3; // channel x time x polarization, 8 + 8 bits
    put(p, 2, 128, 2);
    put(p, 4, 512, 2);
    put(p, 6, 7, 2);
    put(p, 8, 16 * 31250, 8);
    const settings_map ata{{"bits", "8"},
                           {"channels", "256"},
                           {"first_channel", "384"},
                           {"sync_time", "1780000000"},
                           {"sources", "5,7"}};
    got = parsed("ata", ata, 2, p, &time);
    BOOST_REQUIRE(got.what == outcome::good);
    BOOST_TEST(got.part == 1u * 2 + 1);
    BOOST_TEST(time == "2026-05-28T20:26:41.000000000000000000");
    p[1] = 1;
    BOOST_CHECK(parsed("ata", ata, 2, p).what == outcome::garbled);

    p = bytes(16 + 109 * 32);
    p[0] = 3; // the board, from 1 on
    p[2] = 109;
    put(p, 6, 2000, 2);
    put(p, 8, 25001, 8); // the spectrum, from 1 on
    got = parsed("chips",
                 {{"first_channel", "1891"},
                  {"channels", "218"},
                  {"sync_time", "2026-05-28T20:26:40"}},
                 16,
                 p,
                 &time);
    BOOST_REQUIRE(got.what == outcome::good);
    BOOST_TEST(got.part == 2u * 2 + 1);
    BOOST_TEST(time == "2026-05-28T20:26:41.000000000000000000");

    p = bytes(32 + 8192);
    put(p, 0, 0xDEC0DE5C, 4);
    put(p, 12, 1000, 4);
    put(p, 16, 256, 4);
    put(p, 20, 16, 4);
    put(p, 24, 1780000000ull * 196000000 + 8192, 8);
    got = parsed("tbx", {{"first_channel", "1000"}}, 1, p, &time);
    BOOST_REQUIRE(got.what == outcome::good);
    BOOST_TEST(got.part == 0u);
    BOOST_TEST(time == "2026-05-28T20:26:40.000041795918367346");
}

BOOST_AUTO_TEST_CASE(heaps_of_spectra_are_read_packet_by_packet)
{
    using outcome = parsed_packet::outcome;
    // 16 channels of 64 spectra in a heap, 4 of them in a packet. Items in another order.
    const settings_map settings{{"spectra", "64"},
                                {"packet_channels", "4"},
                                {"channels", "32"},
                                {"first_channel", "128"},
                                {"sync_time", "1780000000"},
                                {"wraps", "0"}};
    const std::size_t payload = 4 * 64 * 2 * 2;
    const auto packet = [&](std::uint64_t offset, std::uint64_t length, unsigned extra) {
        const std::vector<std::pair<unsigned, std::uint64_t>> items{
            {0x8000 + 1, 77},
            {0x8000 + 2, 16 * 256},
            {0x8000 + 3, offset},
            {0x8000 + 4, length},
            {0x4300, 0},
            {0x8000 + 0x4103, 144},
            {0x8000 + 0x4101, 2},
            {0x8000 + 0x1600, 1712000000},
            {0x8000u + extra, 2},
            {0x8000, 0}};
        bytes p(8 * (1 + items.size()) + payload);
        put(p, 0, 0x5304020600000000 + items.size(), 8);
        for (std::size_t k = 0; k < items.size(); ++k) {
            put(p, 8 + 8 * k, items[k].first, 2);
            put(p, 10 + 8 * k, items[k].second, 6);
        }
        return p;
    };
    std::string time;
    const bytes p = packet(3 * payload, payload, 0);
    const parsed_packet got = parsed("spead", settings, 4, p, &time);
    BOOST_REQUIRE(got.what == outcome::good);
    BOOST_TEST(got.part == 2u * 8 + (144 - 128) / 4 + 3);
    BOOST_TEST(got.payload == p.data() + 8 * 11);
    BOOST_TEST(time == "2026-05-28T20:26:41.000000000000000000");
    const auto what = [&](const bytes& content) {
        return parsed("spead", settings, 4, content).what;
    };
    BOOST_CHECK(what(packet(payload + 1, payload, 0)) == outcome::garbled);
    BOOST_CHECK(what(packet(payload + payload / 4, payload, 0)) == outcome::foreign);
    BOOST_CHECK(what(packet(0, payload / 2, 0)) == outcome::garbled);
    BOOST_CHECK(what(packet(0, payload, 5)) == outcome::foreign); // a descriptor
    BOOST_CHECK(what(packet(0, payload, 6)) == outcome::foreign); // the end of a stream
    BOOST_CHECK(what(packet(64 * payload, payload, 0)) == outcome::foreign);
}

BOOST_AUTO_TEST_CASE(the_sky_frequency_of_spectra_is_known)
{
    const auto center = [](const char* preset, const settings_map& settings) {
        return packet_layout_of(preset, settings).center_frequency();
    };
    BOOST_TEST(center("snap2", {{"channels", "192"}, {"first_channel", "1024"}}) ==
               (1024 + 96) * 196e6 / 8192);
    BOOST_TEST(center("chips", {{"first_channel", "1000"}}) == (1000 + 54) * 25e3);
    BOOST_TEST(center("spead", {{"channels", "128"}}) == 856e6 + 64 * 1712e6 / 8192);
    BOOST_TEST(center("ata", {}) == 0); // behind a mixer that the packets do not know
    BOOST_TEST(center("ata", {{"channel_zero", "1e9"}}) == 1e9 + 128 * 500e3);
    BOOST_TEST(refusal("snap2", {{"channels", "100"}}) ==
               "packets snap2: channels: 100: must be a multiple of packet_channels, 96");
    BOOST_TEST(refusal("ata", {{"bits", "5"}}) == "packets ata: bits: 5: must be 4 or 8");
}

BOOST_AUTO_TEST_CASE(samples_are_changed_into_codes_that_unpack_knows)
{
    std::mt19937 random(1);
    bytes payload(4096 * 10 / 8);
    std::vector<int> values(4096);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<int>(random() % 1024) - 512;
        for (std::size_t b = 0; b < 10; ++b) {
            const std::size_t bit = 10 * k + b;
            payload[bit / 8] |= (values[k] >> (9 - b) & 1) << (7 - bit % 8);
        }
    }
    const wire_samples& ten = wire_samples_by_name("i10");
    for (const std::size_t first : {0u, 1u, 2u, 3u, 1001u}) {
        std::vector<std::uint8_t> out(2 * (4096 - first));
        ten.convert(payload.data(), first, 4096 - first, out.data());
        for (std::size_t k = first; k < 4096; ++k) {
            const auto got = static_cast<std::int16_t>(out[2 * (k - first)] |
                                                       out[2 * (k - first) + 1] << 8);
            BOOST_REQUIRE_EQUAL(got, values[k]);
        }
    }
    const wire_samples& four = wire_samples_by_name("ci4");
    for (int re = -8; re < 8; ++re) {
        for (int im = -8; im < 8; ++im) {
            const auto in = static_cast<std::uint8_t>((re & 15) << 4 | (im & 15));
            std::uint8_t out = 0;
            four.convert(&in, 0, 1, &out);
            BOOST_REQUIRE_EQUAL(int(out & 15) - 8, re);
            BOOST_REQUIRE_EQUAL(int(out >> 4) - 8, im);
        }
    }
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_be_are_refused)
{
    BOOST_TEST(refusal("mwb", {}).find("there are mwa, vdif") != std::string::npos);
    BOOST_TEST(refusal("mwa", {{"rate", "3"}}).find("they have") != std::string::npos);
    BOOST_TEST(
        refusal("mwa", {{"sample_rate", "1e6"}}) ==
        "packets mwa: sample_rate: 1e6: must be a multiple of 2048 Hz, as in 1.28e6");
    BOOST_TEST(refusal("mwa", {{"sources", "0-3,2"}}) ==
               "packets mwa: sources: 0-3,2: names a source twice");
    BOOST_TEST(refusal("vdif", {}).find("sample_rate") != std::string::npos);
    BOOST_TEST(refusal("vdif", {{"sample_rate", "32e6"}, {"bits", "3"}}) ==
               "packets vdif: bits: 3: must be 1, 2, 4, 8 or 16");
    BOOST_TEST(refusal("tbn", {{"sample_rate", "3e6"}}).find("196 MHz") !=
               std::string::npos);
    BOOST_TEST(refusal("meerkat", {{"sync_time", "yesterday"}}).find("or now") !=
               std::string::npos);
    BOOST_TEST(refusal("/nowhere/x.yml", {}).find("cannot be read") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_layout_of_the_users_own)
{
    BOOST_TEST(yaml_refusal(good_yaml) == "");
    BOOST_TEST(yaml_refusal(with(good_yaml, "samples", "sampels")) ==
               "x.yml, line 2: field sampels: there is no such field; the nearest is "
               "'samples'");
    BOOST_TEST(yaml_refusal(with(good_yaml, "i8", "i9")).find("field code") !=
               std::string::npos);
    BOOST_TEST(
        yaml_refusal(with(good_yaml, "bytes: 4", "bytes: 9")) ==
        "x.yml, line 5: field fields.count.bytes: is '9', and must be a whole number "
        "from 1 to 8");
    BOOST_TEST(yaml_refusal(with(good_yaml, "field: count", "field: cuont"))
                   .find("names 'cuont', which is not one of 'fields'") !=
               std::string::npos);
    BOOST_TEST(yaml_refusal(with(good_yaml, "tick_rate: 1e6\n", ""))
                   .find("has no 'tick_rate'") != std::string::npos);
    BOOST_TEST(yaml_refusal(good_yaml + "axes: [time, time]\n").find("field axes") !=
               std::string::npos);
    BOOST_TEST(
        yaml_refusal(with(good_yaml, "samples: 100", "samples: 100000")).find("65507") !=
        std::string::npos);
    for (const char* text : {"", "3", "[1]", "fields: 3", "{", "time: {a: b}"}) {
        BOOST_TEST(yaml_refusal(text) != "");
    }
}

namespace {

void check_sockets(std::size_t threads)
{
    udp_settings where;
    where.threads = threads;
    where.addresses = {"127.0.0.1:0", "127.0.0.1:0"};
    where.buffer_bytes = 1 << 22;
    // The window is long: on a busy machine no packet is late.
    udp_capture capture(where, packet_layout_of("mwa", {}), 4, capture_sizes{3, 2});
    capture.start(nullptr);
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    BOOST_REQUIRE(fd >= 0);
    const auto ports = capture.sockets().ports();
    const unsigned slots = 300;
    for (unsigned k = 0; k < slots; ++k) {
        for (unsigned input = 0; input < 4; ++input) {
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            to.sin_port = htons(static_cast<std::uint16_t>(ports[input % 2]));
            const bytes p = mwa_packet(input, 1445000000, k);
            BOOST_REQUIRE_EQUAL(sendto(fd,
                                       p.data(),
                                       p.size(),
                                       0,
                                       reinterpret_cast<const sockaddr*>(&to),
                                       sizeof(to)),
                                static_cast<ssize_t>(p.size()));
        }
        if (k % 2 == 1) { // No buffer of the kernel is full.
            for (int wait = 0; wait < 6000 && capture.counts().good < (k + 1) * 4;
                 ++wait) {
                usleep(10000);
            }
        }
    }
    close(fd);
    BOOST_TEST(capture.counts().good == slots * 4);
    capture.finish();
    bytes item(4 * 4096 * 2);
    std::uint64_t samples = 0;
    for (int tries = 0; tries < 1200; ++tries) {
        const auto t = capture.window().take(item.data(), 4096, 4096);
        if (t && t->samples == 0) {
            break;
        }
        samples += t ? t->samples : 0;
    }
    capture.stop();
    BOOST_TEST(samples == slots * 2048);
    const packet_counts c = capture.counts();
    BOOST_TEST(c.missing == 0u);
    BOOST_TEST(c.kernel_dropped == 0u);
}

} // namespace

BOOST_AUTO_TEST_CASE(packets_come_through_sockets)
{
    for (const std::size_t threads : {1u, 2u, 5u}) {
        BOOST_TEST_CONTEXT(threads << " threads") { check_sockets(threads); }
    }
}

// Where threads share a port, no other program gets a part of its packets by accident.
BOOST_AUTO_TEST_CASE(a_port_has_one_owner)
{
    for (const std::size_t first : {1u, 3u}) {
        for (const std::size_t second : {1u, 3u}) {
            udp_settings where;
            where.addresses = {"127.0.0.1:0"};
            where.buffer_bytes = 4096;
            where.threads = first;
            const udp_sockets sockets(where);
            BOOST_TEST(sockets.ports().size() == 1u);
            BOOST_TEST(sockets.list().size() == first);
            where.addresses = {"127.0.0.1:" + std::to_string(sockets.ports()[0])};
            where.threads = second;
            BOOST_CHECK_THROW(udp_sockets{where}, std::invalid_argument);
        }
    }
}

BOOST_AUTO_TEST_CASE(addresses_that_cannot_be_are_refused)
{
    const auto why = [](udp_settings where) {
        try {
            udp_sockets sockets(where);
        } catch (const std::invalid_argument& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    BOOST_TEST(why({}).find("none given") != std::string::npos);
    BOOST_TEST(why({{"127.0.0.1"}, "", {}, 4096}).find("must be host:port") !=
               std::string::npos);
    BOOST_TEST(why({{"127.0.0.1:70000"}, "", {}, 4096}) != "");
    BOOST_TEST(why({{"192.0.2.1:7148"}, "", {}, 4096}).find("ip address lists") !=
               std::string::npos);
    BOOST_TEST(why({{"239.1.2.3:0"}, "no_such_link", {}, 4096}).find("ip link lists") !=
               std::string::npos);
}
