/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fuzzed_readers.h"
#include "io/live/kraken_frame.h"
#include "io/packets/ip_datagram.h"
#include "io/packets/packet_presets.h"
#include "io/packets/packet_receiver.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace gr::fringe;
using namespace gr::fringe::io;

namespace fuzzed {

namespace {

using settings_map = std::map<std::string, std::string>;

// Several fields may share a byte.
void write_field(bytes& packet, const packet_field& f, std::uint64_t value)
{
    for (unsigned k = 0; f.item < 0 && k < f.width && f.offset + k < packet.size(); ++k) {
        const unsigned at = f.little ? k : f.width - 1 - k;
        packet[f.offset + at] |= static_cast<std::uint8_t>(value << f.shift >> 8 * k);
    }
}

void write_big(bytes& to, std::size_t at, std::uint64_t value, std::size_t width)
{
    for (std::size_t k = 0; k < width && at + k < to.size(); ++k)
        to[at + k] = static_cast<std::uint8_t>(value >> 8 * (width - 1 - k));
}

// A header of SPEAD with the items that a heap has.
void write_spead(bytes& packet, const packet_layout& l, unsigned number)
{
    const bool heaps = l.spectra();
    const int items[] = {0x1600,
                         heaps ? 0x4101 : 0x3101,
                         3,
                         4,
                         0x1027,
                         heaps ? 0x4103 : 0x3000,
                         0x3001,
                         0x1011};
    write_big(packet, 0, 0x5304020600000008, 8);
    for (std::size_t k = 0; k < 8; ++k) {
        write_big(packet, 8 + 8 * k, 0x8000u | unsigned(items[k]), 2);
        const std::uint64_t value = items[k] == 4      ? l.payload_bytes()
                                    : k == 6 && !heaps ? 1 << 16
                                    : k == 0           ? number
                                                       : 0;
        write_big(packet, 10 + 8 * k, value, 6);
    }
}

// An input is packets, each behind what is done after it and its length.
constexpr std::uint8_t close_some = 1, close_all = 2, take_items = 4, offer_items = 8;

bytes packets_of(const packet_layout& l)
{
    bytes all;
    for (unsigned number = 0; number < 4; ++number) {
        bytes packet(l.packet_bytes(), static_cast<std::uint8_t>(17 * number + 1));
        std::fill_n(packet.begin(), l.header_bytes, std::uint8_t(0));
        for (const packet_condition& c : l.must_be)
            write_field(packet, c.field, c.value);
        for (const packet_term& t : l.source)
            write_field(packet, t.field, static_cast<std::uint64_t>(t.first));
        for (const packet_choice& c : l.only)
            write_field(packet, c.field, c.value.value_or(0));
        const packet_term& last = l.time.back();
        write_field(packet,
                    last.field,
                    static_cast<std::uint64_t>(last.first + last.unit * number));
        if (l.spead)
            write_spead(packet, l, number);
        const std::uint8_t then =
            number == 3 ? close_all | take_items | offer_items : close_some;
        all.push_back(then);
        put_number(all, packet.size(), 2);
        all.insert(all.end(), packet.begin(), packet.end());
    }
    return all;
}

// The packets of an input, and whatever comes of them. The window is short, as each input has one of
// its own: its memory took most of the time.
bool receive(const packet_layout& l, const bytes& input)
{
    const std::size_t parts = 2 * l.channel_blocks();
    packet_window window(l, parts, 3, 8);
    packet_receiver receiver(packet_parser(l, parts), window, parts);
    const std::size_t block = l.spectra() ? 16 : 512;
    bytes item(l.spectra() ? 2 * 2 * l.streams * l.all_channels * block
                           : parts * block * l.streams * l.wire->raw_bits / 8);
    const epoch now{1800000000, 0};
    std::uint64_t sent = 0;
    for (std::size_t at = 0; at + 3 <= input.size(); ++sent) {
        const std::uint8_t then = input[at];
        const std::size_t size = std::min<std::size_t>(
            input[at + 1] | std::size_t(input[at + 2]) << 8, input.size() - at - 3);
        const bytes packet(input.begin() + static_cast<long>(at + 3),
                           input.begin() + static_cast<long>(at + 3 + size));
        at += 3 + size;
        receiver.take(packet.data(), size, now); // The memory of the packet ends with it.
        if (then & (close_some | close_all))
            window.close(then & close_all);
        while (then & take_items && window.waiting() > 0) {
            if (then & offer_items)
                window.offer(item.data(), 1, block);
            if (!window.take(item.data(), block, block))
                break;
        }
    }
    receiver.end();
    window.end();
    const packet_counts c = receiver.counts();
    if (c.good + c.late + c.duplicate + c.garbled + c.dropped + c.foreign != sent)
        throw fault("packets are not counted, or twice");
    return c.good > 0;
}

void add_layout(std::vector<reader>& to,
                const std::string& preset,
                const settings_map& settings)
{
    const packet_layout l = packet_layout_of(preset, settings);
    to.push_back({"packets_" + preset,
                  [l] { return std::vector<bytes>{packets_of(l)}; },
                  [l](const bytes& input) { return receive(l, input); }});
}

// A datagram of 40 bytes whose checksums were left to the kernel, which vouches for it.
bytes datagram()
{
    bytes b;
    for (const unsigned word : {0x4500u,
                                68u,
                                4711u,
                                0x4000u,
                                0x4011u,
                                0u,
                                0x0a4du,
                                1u,
                                0xef01u,
                                0x0203u,
                                1234u,
                                7148u,
                                48u,
                                0u})
        put_number(b, word, 2, true);
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < 20; k += 2)
        sum += std::uint32_t(b[k]) << 8 | b[k + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    write_big(b, 10, ~sum & 0xffff, 2);
    b.resize(68, 0x5a);
    return b;
}

// What is handed on lies within the bytes that came.
bool take_datagram(const bytes& input)
{
    bool any = false;
    for (const bool vouched : {false, true}) {
        const auto got = read_datagram(input.data(), input.size(), vouched);
        if (!got)
            continue;
        any = true;
        if (got->payload < input.data() + 28 ||
            got->payload + got->bytes > input.data() + input.size())
            throw fault("a payload outside of its datagram");
    }
    return any;
}

bytes kraken(unsigned version)
{
    bytes b;
    if (version == 2) {
        for (const std::uint32_t word : {0x4d434851u, 2u, 2048u, 4u, 0u, 9u, 3u, 0u})
            put_number(b, word, 4, true);
        b.resize(b.size() + 16, 0x41);
        return b;
    }
    b.resize(1024, 0);
    const auto at = [&](std::size_t place, std::uint64_t value, std::size_t width) {
        for (std::size_t k = 0; k < width; ++k)
            b[place + k] = static_cast<std::uint8_t>(value >> 8 * k);
    };
    at(0, 0x2bf7b95a, 4);
    at(28, 5, 4);
    at(40, 1420000000, 8);
    at(56, 2400000, 8);
    at(64, 1 << 20, 4);
    at(72, 1780000000123, 8);
    at(100, 32, 4);
    return b;
}

bool take_kraken(unsigned version, const bytes& input)
{
    return reads("host:1", [&] {
        const std::size_t needed = kraken_frame::bytes_of_header(
            version, input.data(), std::min<std::size_t>(input.size(), 32), "host:1");
        if (input.size() < needed)
            throw std::runtime_error("host:1: waits for more");
        const kraken_frame f =
            kraken_frame::read(version, input.data(), needed, "host:1");
        if (f.channels < 1 || f.channels > 32 || f.gains.size() != f.channels ||
            f.payload_bytes() > std::uint64_t(1) << 32)
            throw fault("a frame that cannot be");
    });
}

} // namespace

void add_packets(std::vector<reader>& to)
{
    add_layout(to, "mwa", {});
    add_layout(to, "vdif", {{"sample_rate", "32e6"}, {"frame_bytes", "160"}});
    add_layout(to, "tbn", {});
    add_layout(to, "drx", {});
    add_layout(to, "meerkat", {{"sync_time", "2026-01-01T00:00:00"}});
    add_layout(to, "ska_low", {});
    add_layout(to, "snap2", {{"channels", "192"}});
    add_layout(to, "ata", {});
    add_layout(to, "chips", {{"channels", "218"}});
    add_layout(to, "spead", {{"channels", "16"}, {"sync_time", "2026-01-01T00:00:00"}});
    add_layout(to, "tbx", {});
    to.push_back({"ip", [] { return std::vector<bytes>{datagram()}; }, take_datagram});
    for (const unsigned version : {1u, 2u})
        to.push_back({"kraken_" + std::to_string(version),
                      [version] { return std::vector<bytes>{kraken(version)}; },
                      [version](const bytes& b) { return take_kraken(version, b); }});
}

} // namespace fuzzed
