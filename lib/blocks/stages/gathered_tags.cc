/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/gathered_tags.h"
#include <algorithm>

namespace gr::fringe {

namespace {

// Items cut runs, too.
std::vector<invalid_run> joined(std::vector<invalid_run> runs)
{
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
        return a.input != b.input ? a.input < b.input : a.first < b.first;
    });
    std::vector<invalid_run> all;
    for (const invalid_run& r : runs) {
        const bool goes_on = !all.empty() && all.back().input == r.input &&
                             all.back().first + all.back().count == r.first;
        if (goes_on) {
            all.back().count += r.count;
        } else {
            all.push_back(r);
        }
    }
    return all;
}

tag_t tag_of(const pmt::pmt_t& key, const pmt::pmt_t& value)
{
    tag_t t;
    t.key = key;
    t.value = value;
    return t;
}

} // namespace

gathered_tags::gathered_tags(std::size_t items, std::size_t item_samples)
    : d_items(items), d_item_samples(item_samples)
{
}

bool gathered_tags::add(const std::vector<tag_t>& tags)
{
    const item_tags item(tags);
    if (!empty() && (item.rx_time || item.rx_rate || item.rx_freq)) {
        d_whole = true;
        return false;
    }
    for (invalid_run r : item.invalid) {
        r.first += d_samples;
        d_invalid.push_back(r);
    }
    std::copy_if(
        tags.begin(), tags.end(), std::back_inserter(d_tags), [](const tag_t& t) {
            return !pmt::eq(t.key, tag::invalid()) && !pmt::eq(t.key, tag::samples());
        });
    d_samples +=
        std::min<std::uint64_t>(item.samples.value_or(d_item_samples), d_item_samples);
    d_whole = ++d_items_there == d_items || item.samples;
    return true;
}

std::vector<tag_t> gathered_tags::take()
{
    std::vector<tag_t> tags = std::move(d_tags);
    if (d_samples < d_items * d_item_samples) {
        tags.push_back(tag_of(tag::samples(), pmt::from_uint64(d_samples)));
    }
    if (!d_invalid.empty()) {
        tags.push_back(
            tag_of(tag::invalid(),
                   from_invalid(d_items > 1 ? joined(std::move(d_invalid)) : d_invalid)));
    }
    clear();
    return tags;
}

void gathered_tags::clear()
{
    d_items_there = 0;
    d_samples = 0;
    d_whole = false;
    d_invalid.clear();
    d_tags.clear();
}

} // namespace gr::fringe
