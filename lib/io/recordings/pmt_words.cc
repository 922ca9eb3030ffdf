/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/pmt_words.h"
#include "io/recordings/recording.h"
#include <cstring>

namespace gr::fringe::io {

namespace {

// The first byte of a value, as GNU Radio writes them.
enum tag : unsigned {
    tag_true,
    tag_false,
    tag_symbol,
    tag_int32,
    tag_double,
    tag_complex,
    tag_null,
    tag_pair,
    tag_vector,
    tag_dict,
    tag_uniform_vector,
    tag_uint64,
    tag_tuple,
    tag_int64
};
constexpr unsigned max_depth = 16;
constexpr std::size_t max_entries = 1000;

} // namespace

pmt_reader::pmt_reader(const std::string& where, const std::string& bytes)
    : d_where(where), d_bytes(bytes)
{
}

void pmt_reader::refuse(const std::string& what) const
{
    throw damaged_recording(d_where + ": no header of a File Meta Sink: " + what +
                            " at its byte " + std::to_string(d_at));
}

std::uint64_t pmt_reader::big_endian(std::size_t bytes)
{
    if (bytes > d_bytes.size() - d_at)
        refuse("it ends");
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes)
        value = value << 8 | static_cast<std::uint8_t>(d_bytes[d_at++]);
    return value;
}

double pmt_reader::real()
{
    const std::uint64_t bits = big_endian(8);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

void pmt_reader::several(pmt_value& into, std::size_t count, unsigned depth)
{
    if (count > max_entries)
        refuse(std::to_string(count) + " values");
    into.is = pmt_value::kind::several;
    while (count-- > 0)
        into.items.push_back(value(depth + 1));
}

pmt_value pmt_reader::value(unsigned depth)
{
    if (depth > max_depth)
        refuse("values within values");
    pmt_value v;
    const auto number = [&](double d, std::uint64_t whole) {
        v.is = pmt_value::kind::number;
        v.number = d;
        v.whole = whole;
    };
    const unsigned tag = static_cast<unsigned>(big_endian(1));
    switch (tag) {
    case tag_true:
    case tag_false:
        v.is = pmt_value::kind::truth;
        v.whole = tag == tag_true;
        break;
    case tag_symbol: {
        const auto bytes = static_cast<std::size_t>(big_endian(2));
        if (bytes > d_bytes.size() - d_at)
            refuse("it ends");
        v.is = pmt_value::kind::text;
        v.text = d_bytes.substr(d_at, bytes);
        d_at += bytes;
        break;
    }
    case tag_int32: {
        const auto whole = static_cast<std::int32_t>(big_endian(4));
        number(whole, static_cast<std::uint64_t>(whole));
        break;
    }
    case tag_uint64:
    case tag_int64: {
        const std::uint64_t whole = big_endian(8);
        number(static_cast<double>(whole), whole);
        break;
    }
    case tag_double: {
        const double d = real();
        number(d, 0);
        break;
    }
    case tag_complex:
        real();
        real();
        break;
    case tag_null:
        break;
    case tag_pair:
        several(v, 2, depth);
        break;
    case tag_vector:
    case tag_tuple:
        several(v, static_cast<std::size_t>(big_endian(4)), depth);
        break;
    default:
        refuse("a value of kind " + std::to_string(tag));
    }
    return v;
}

std::map<std::string, pmt_value> pmt_reader::dictionary()
{
    std::map<std::string, pmt_value> found;
    for (std::size_t n = 0; n < max_entries; ++n) {
        const auto tag = big_endian(1);
        if (tag == tag_null)
            return found;
        if (tag != tag_dict || big_endian(1) != tag_pair)
            refuse("no entry of a dictionary");
        const pmt_value key = value(0);
        if (key.is != pmt_value::kind::text)
            refuse("an entry without a name");
        // The first of several of one name is the one that counts.
        found.emplace(key.text, value(0));
    }
    refuse("more than " + std::to_string(max_entries) + " entries");
}

} // namespace gr::fringe::io
