/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/stream_tags.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/block_detail.h>

namespace gr::fringe {

namespace tag {

#define FRINGE_TAG(name)                                                                 \
    const pmt::pmt_t& name()                                                             \
    {                                                                                    \
        static const pmt::pmt_t symbol = pmt::mp(#name);                                 \
        return symbol;                                                                   \
    }
FRINGE_TAG(stream)
FRINGE_TAG(rx_time)
FRINGE_TAG(rx_rate)
FRINGE_TAG(rx_freq)
FRINGE_TAG(samples)
FRINGE_TAG(spectra)
FRINGE_TAG(invalid)
FRINGE_TAG(lost)
FRINGE_TAG(blanked)
FRINGE_TAG(valid)
FRINGE_TAG(flagged)
FRINGE_TAG(flagged_spectra)
FRINGE_TAG(gains)
FRINGE_TAG(channel_width)
FRINGE_TAG(interval)
FRINGE_TAG(exposure)
FRINGE_TAG(damaged)
FRINGE_TAG(bin)
FRINGE_TAG(elsewhere)
FRINGE_TAG(weights)
#undef FRINGE_TAG

pmt::pmt_t from_epoch(const epoch& t)
{
    return pmt::make_tuple(pmt::from_uint64(t.seconds), pmt::from_double(t.fraction()));
}

} // namespace tag

namespace {

std::optional<epoch> to_epoch(const pmt::pmt_t& value)
{
    if (!pmt::is_tuple(value) || pmt::length(value) != 2) {
        return std::nullopt;
    }
    return epoch::from_pair(pmt::to_uint64(pmt::tuple_ref(value, 0)),
                            pmt::to_double(pmt::tuple_ref(value, 1)));
}

std::vector<cell_run> to_cells(const pmt::pmt_t& value)
{
    const auto v = pmt::u32vector_elements(value);
    std::vector<cell_run> cells;
    for (std::size_t k = 0; k + 1 < v.size(); k += 2) {
        cells.push_back({v[k], v[k + 1]});
    }
    return cells;
}

std::vector<std::uint64_t> to_valid(const pmt::pmt_t& value)
{
    std::vector<std::uint64_t> parts;
    if (pmt::is_f64vector(value)) {
        for (const double spectra : pmt::f64vector_elements(value)) {
            parts.push_back(static_cast<std::uint64_t>(
                std::llround(spectra * static_cast<double>(spectrum_parts))));
        }
        return parts;
    }
    parts = pmt::u64vector_elements(value);
    for (std::uint64_t& p : parts) {
        p *= spectrum_parts;
    }
    return parts;
}

std::vector<invalid_run> to_runs(const pmt::pmt_t& value)
{
    const auto v = pmt::u64vector_elements(value);
    std::vector<invalid_run> runs;
    for (std::size_t k = 0; k + 2 < v.size(); k += 3) {
        runs.push_back({static_cast<std::size_t>(v[k]), v[k + 1], v[k + 2]});
    }
    return runs;
}

std::vector<kernels::flagged_spectra> to_flagged_spectra(const pmt::pmt_t& value)
{
    std::vector<kernels::flagged_spectra> windows(pmt::length(value));
    for (std::size_t n = 0; n < windows.size(); ++n) {
        const pmt::pmt_t pair = pmt::vector_ref(value, n);
        windows[n].cells = to_cells(pmt::cdr(pair));
        if (pmt::is_uint64(pmt::car(pair))) {
            windows[n].spectra = pmt::to_uint64(pmt::car(pair)) * spectrum_parts;
        } else {
            windows[n].valid = to_valid(pmt::car(pair));
        }
    }
    return windows;
}

std::vector<lost_spectra> to_lost(const pmt::pmt_t& value)
{
    const auto v = pmt::u64vector_elements(value);
    std::vector<lost_spectra> lost;
    for (std::size_t k = 0; k + 5 < v.size(); k += 6) {
        lost.push_back({v[k], v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5]});
    }
    return lost;
}

} // namespace

std::vector<tag_t> tags_of(const gr::block& self, unsigned port, std::uint64_t item)
{
    std::vector<tag_t> found;
    self.detail()->get_tags_in_range(found, port, item, item + 1, self.unique_id());
    return found;
}

item_tags::item_tags(const std::vector<tag_t>& tags)
{
    for (const tag_t& t : tags) {
        if (pmt::eq(t.key, tag::rx_time())) {
            rx_time = to_epoch(t.value);
        } else if (pmt::eq(t.key, tag::rx_rate())) {
            rx_rate = pmt::to_double(t.value);
            if (!(*rx_rate > 0 && std::isfinite(*rx_rate))) {
                rx_rate.reset(); // no rate at all
            }
        } else if (pmt::eq(t.key, tag::rx_freq())) {
            rx_freq = pmt::to_double(t.value);
        } else if (pmt::eq(t.key, tag::samples())) {
            samples = pmt::to_uint64(t.value);
        } else if (pmt::eq(t.key, tag::spectra())) {
            spectra = pmt::to_uint64(t.value);
        } else if (pmt::eq(t.key, tag::channel_width())) {
            channel_width = pmt::to_double(t.value);
        } else if (pmt::eq(t.key, tag::interval())) {
            interval = pmt::to_double(t.value);
        } else if (pmt::eq(t.key, tag::exposure())) {
            exposure = pmt::to_double(t.value);
        } else if (pmt::eq(t.key, tag::valid())) {
            valid = to_valid(t.value);
        } else if (pmt::eq(t.key, tag::elsewhere())) {
            elsewhere = pmt::to_uint64(t.value);
        } else if (pmt::eq(t.key, tag::gains())) {
            gains = pmt::f32vector_elements(t.value);
        } else if (pmt::eq(t.key, tag::damaged())) {
            damaged = t.value;
        } else if (pmt::eq(t.key, tag::flagged_spectra())) {
            flagged_spectra = to_flagged_spectra(t.value);
        } else if (pmt::eq(t.key, tag::flagged())) {
            flagged = to_cells(t.value);
        } else if (pmt::eq(t.key, tag::lost())) {
            lost = to_lost(t.value);
        } else if (pmt::eq(t.key, tag::invalid())) {
            invalid = to_runs(t.value);
        } else if (pmt::eq(t.key, tag::blanked())) {
            blanked = to_runs(t.value);
        }
    }
}

std::optional<array::beginning> item_tags::start(const array::timeline& so_far) const
{
    const double rate = rx_rate.value_or(so_far.started() ? so_far.rate() : 0);
    if (rate <= 0 || (!rx_time && so_far.started())) {
        return std::nullopt;
    }
    return array::beginning{rx_time.value_or(epoch()), rate};
}

pmt::pmt_t from_invalid(const std::vector<invalid_run>& runs)
{
    std::vector<std::uint64_t> v;
    v.reserve(3 * runs.size());
    for (const invalid_run& r : runs) {
        v.insert(v.end(), {r.input, r.first, r.count});
    }
    return pmt::init_u64vector(v.size(), v);
}

pmt::pmt_t from_valid(const std::vector<std::uint64_t>& parts)
{
    if (std::all_of(parts.begin(), parts.end(), [](std::uint64_t p) {
            return p % spectrum_parts == 0;
        })) {
        std::vector<std::uint64_t> spectra(parts.size());
        std::transform(parts.begin(), parts.end(), spectra.begin(), [](std::uint64_t p) {
            return p / spectrum_parts;
        });
        return pmt::init_u64vector(spectra.size(), spectra);
    }
    std::vector<double> spectra(parts.size());
    std::transform(parts.begin(), parts.end(), spectra.begin(), [](std::uint64_t p) {
        return static_cast<double>(p) / static_cast<double>(spectrum_parts);
    });
    return pmt::init_f64vector(spectra.size(), spectra);
}

pmt::pmt_t from_lost(const std::vector<lost_spectra>& lost)
{
    std::vector<std::uint64_t> v;
    v.reserve(6 * lost.size());
    for (const lost_spectra& l : lost) {
        v.insert(v.end(), {l.input, l.inputs, l.channel, l.channels, l.first, l.count});
    }
    return pmt::init_u64vector(v.size(), v);
}

pmt::pmt_t from_flagged(const std::vector<cell_run>& runs)
{
    std::vector<std::uint32_t> v;
    v.reserve(2 * runs.size());
    for (const cell_run& r : runs) {
        v.insert(v.end(), {r.first, r.count});
    }
    return pmt::init_u32vector(v.size(), v);
}

pmt::pmt_t from_flagged_spectra(const std::vector<kernels::flagged_spectra>& windows)
{
    const pmt::pmt_t all = pmt::make_vector(windows.size(), pmt::PMT_NIL);
    for (std::size_t n = 0; n < windows.size(); ++n) {
        const auto& valid = windows[n].valid;
        pmt::vector_set(all,
                        n,
                        pmt::cons(valid.empty() ? pmt::from_uint64(windows[n].spectra /
                                                                   spectrum_parts)
                                                : from_valid(valid),
                                  from_flagged(windows[n].cells)));
    }
    return all;
}

} // namespace gr::fringe
