/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/stream_description.h"
#include <algorithm>
#include <array>

namespace gr::fringe {

namespace {

const std::string block_key = "block", kind_key = "kind", bytes_key = "item_bytes";

std::string text_of(const pmt::pmt_t& symbol)
{
    return pmt::is_symbol(symbol) ? pmt::symbol_to_string(symbol) : std::string();
}

} // namespace

pmt::pmt_t stream_description::to_tag() const
{
    pmt::pmt_t all = pmt::make_dict();
    const auto add = [&all](const std::string& key, const std::string& value) {
        all = pmt::dict_add(all, pmt::mp(key), pmt::mp(value));
    };
    add(block_key, block);
    add(kind_key, kind);
    add(bytes_key, std::to_string(item_bytes));
    for (const auto& [name, value] : fields) {
        add(name, value);
    }
    return all;
}

stream_description stream_description::from_tag(const pmt::pmt_t& value)
{
    stream_description d;
    if (!pmt::is_dict(value)) {
        return d;
    }
    const pmt::pmt_t items = pmt::dict_items(value);
    for (std::size_t n = 0; n < pmt::length(items); ++n) {
        const pmt::pmt_t pair = pmt::nth(n, items);
        d.fields[text_of(pmt::car(pair))] = text_of(pmt::cdr(pair));
    }
    d.block = d.fields[block_key];
    d.kind = d.fields[kind_key];
    const std::string bytes = d.fields[bytes_key];
    const bool number = !bytes.empty() && bytes.size() < 19 &&
                        std::all_of(bytes.begin(), bytes.end(), [](char c) {
                            return c >= '0' && c <= '9';
                        });
    d.item_bytes = number ? std::stoull(bytes) : 0;
    for (const std::string& key : {block_key, kind_key, bytes_key}) {
        d.fields.erase(key);
    }
    return d;
}

std::string mismatch(const stream_description& wanted, const stream_description& sent)
{
    if (sent.kind.empty() || sent.item_bytes != wanted.item_bytes) {
        return "";
    }
    if (sent.kind != wanted.kind) {
        return wanted.block + " expects " + wanted.kind + ", but " + sent.block +
               " sends " + sent.kind + ": connect an output that sends " + wanted.kind;
    }
    std::string here, there;
    for (const auto& [name, value] : wanted.fields) {
        const auto found = sent.fields.find(name);
        if (found != sent.fields.end() && found->second != value) {
            here += (here.empty() ? "" : ", ") + name + " " + value;
            there += (there.empty() ? "" : ", ") + name + " " + found->second;
        }
    }
    const std::string advice = here.find("coarse_channels") != std::string::npos
                                   ? "each coarse channel has a frequency of its own; "
                                     "choose one with the format "
                                     "of the source, guppi:0 or dada:0 say"
                                   : "give both blocks the same values";
    return here.empty()
               ? ""
               : wanted.block + " expects " + wanted.kind + " with " + here + ", but " +
                     sent.block + " sends them with " + there + ": " + advice;
}

bool passed_on(const std::string& field)
{
    static const std::array<std::string, 8> all{"coarse_channels",
                                                "complex_samples",
                                                "taps",
                                                "window",
                                                "sample_bits",
                                                "time",
                                                "edge_channel",
                                                "dc_channel"};
    return std::find(all.begin(), all.end(), field) != all.end();
}

} // namespace gr::fringe
