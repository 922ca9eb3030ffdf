/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_parser.h"
#include "io/packets/spead_header.h"
#include <algorithm>
#include <array>
#include <ctime>

namespace gr::fringe::io {

namespace {

constexpr std::int64_t max_ticks = std::int64_t(1) << 62;
constexpr std::size_t max_half_years = 64; // six bits of a VDIF header

std::array<std::uint64_t, max_half_years> make_half_years()
{
    std::array<std::uint64_t, max_half_years> begin{};
    for (std::size_t k = 0; k < begin.size(); ++k) {
        std::tm date{};
        date.tm_year = 100 + static_cast<int>(k / 2);
        date.tm_mon = k % 2 ? 6 : 0;
        date.tm_mday = 1;
        begin[k] = static_cast<std::uint64_t>(timegm(&date));
    }
    return begin;
}

std::uint64_t half_year(std::uint64_t number)
{
    static const auto begin = make_half_years();
    return begin[number % max_half_years];
}

std::uint64_t load(const std::uint8_t* at, unsigned width, bool little)
{
    std::uint64_t v = 0;
    for (unsigned k = 0; k < width; ++k) {
        v = v << 8 | at[little ? width - 1 - k : k];
    }
    return v;
}

std::uint64_t cut(const packet_field& f, std::uint64_t word)
{
    const std::uint64_t shifted = f.shift < 64 ? word >> f.shift : 0;
    const std::uint64_t v =
        f.bits < 64 ? shifted & ((std::uint64_t(1) << f.bits) - 1) : shifted;
    return f.half_years ? half_year(v) : v;
}

} // namespace

packet_parser::packet_parser(packet_layout layout, std::size_t parts)
    : d_layout(std::move(layout)),
      d_parts(parts),
      d_payload_bytes(d_layout.payload_bytes())
{
    for (std::size_t k = 0; k < d_layout.sources.size() && k < parts; ++k) {
        d_part_of[d_layout.sources[k]] = k;
    }
}

bool packet_parser::open_spead(const std::uint8_t* packet,
                               std::size_t size,
                               spead_items& to) const
{
    const auto head = spead::open(packet, size);
    if (!head) {
        return false;
    }
    to = {packet, head->items, head->header_bytes};
    return true;
}

// A description of what will come, or a word to begin or to end.
bool packet_parser::is_control(const spead_items& items) const
{
    return spead::find(items.packet, items.count, spead::descriptor) ||
           spead::find(items.packet, items.count, spead::stream_control);
}

std::optional<std::uint64_t> packet_parser::value(const packet_field& f,
                                                  const std::uint8_t* packet,
                                                  std::size_t size,
                                                  const spead_items& items) const
{
    if (f.item >= 0) {
        const auto v =
            spead::find(items.packet, items.count, static_cast<unsigned>(f.item));
        return v ? std::optional<std::uint64_t>(cut(f, *v)) : std::nullopt;
    }
    if (f.offset + f.width > size) {
        return std::nullopt;
    }
    return cut(f, load(packet + f.offset, f.width, f.little));
}

std::optional<std::int64_t> packet_parser::sum(const std::vector<packet_term>& terms,
                                               const std::uint8_t* packet,
                                               std::size_t size,
                                               const spead_items& items) const
{
    __int128 total = 0;
    for (const packet_term& t : terms) {
        const auto v = value(t.field, packet, size, items);
        if (!v || (t.limit > 0 && *v >= t.limit)) {
            return std::nullopt;
        }
        __int128 since = static_cast<__int128>(*v) - t.first;
        if (t.unit != 1) { // To divide so large numbers takes longer than all the rest.
            if (since % t.unit != 0) {
                return std::nullopt;
            }
            since /= t.unit;
        }
        total += since * t.step;
    }
    if (total < 0 || total >= max_ticks) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(total);
}

bool packet_parser::chosen() const
{
    return std::all_of(d_layout.only.begin(),
                       d_layout.only.end(),
                       [](const packet_choice& c) { return c.value.has_value(); });
}

// The part of a source's packets that begin with a channel of the F-engine.
std::size_t packet_parser::part_of(std::size_t source, std::int64_t channel) const
{
    const std::int64_t since =
        channel - static_cast<std::int64_t>(d_layout.first_channel);
    const auto width = static_cast<std::int64_t>(d_layout.channels);
    const std::size_t blocks = d_layout.channel_blocks();
    const bool received = source < d_parts / blocks && since >= 0 && since % width == 0 &&
                          static_cast<std::size_t>(since / width) < blocks;
    return received ? source * blocks + static_cast<std::size_t>(since / width) : d_parts;
}

parsed_packet packet_parser::parse(const std::uint8_t* packet, std::size_t size)
{
    using outcome = parsed_packet::outcome;
    parsed_packet p;
    spead_items items;
    if (d_layout.spead && !open_spead(packet, size, items)) {
        return p;
    }
    if (d_layout.spead && is_control(items)) {
        p.what = outcome::foreign;
        return p;
    }
    const std::size_t header =
        d_layout.spead ? items.header_bytes : d_layout.header_bytes;
    for (const packet_condition& c : d_layout.must_be) {
        const auto v = value(c.field, packet, size, items);
        if (!v || *v != c.value) {
            return p;
        }
    }
    for (const packet_choice& c : d_layout.only) {
        const auto v = value(c.field, packet, size, items);
        if (!v) {
            return p;
        }
        if (c.value && *v != *c.value) { // Of another size it is of another layout.
            p.what =
                size == header + d_payload_bytes ? outcome::foreign : outcome::garbled;
            return p;
        }
    }
    const auto source = sum(d_layout.source, packet, size, items);
    const auto time = sum(d_layout.time, packet, size, items);
    if (!source || !time) {
        return p;
    }
    p.time = *time;
    p.source = *source;
    p.part = static_cast<std::size_t>(*source);
    if (!d_layout.sources.empty()) {
        const auto found = d_part_of.find(static_cast<std::uint64_t>(*source));
        p.part = found == d_part_of.end() ? d_parts : found->second;
    }
    if (d_layout.spectra()) {
        const auto channel = sum(d_layout.channel, packet, size, items);
        if (!channel) {
            return p;
        }
        p.channel = *channel;
        p.part = part_of(p.part, *channel);
    }
    if (p.part >= d_parts) {
        p.what = outcome::foreign;
        return p;
    }
    if (size != header + d_payload_bytes) {
        p.what = outcome::damaged;
        return p;
    }
    if (d_layout.invalid) {
        p.invalid = value(*d_layout.invalid, packet, size, items).value_or(1) != 0;
    }
    if (d_layout.frequency) {
        p.frequency = static_cast<double>(
                          value(*d_layout.frequency, packet, size, items).value_or(0)) *
                      d_layout.frequency_step;
    }
    for (packet_choice& c : d_layout.only) { // The first good packet decides.
        c.value = c.value ? c.value : value(c.field, packet, size, items);
    }
    p.payload = packet + header;
    p.what = outcome::good;
    return p;
}

} // namespace gr::fringe::io
