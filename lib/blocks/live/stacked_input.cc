/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/stacked_input.h"
#include "blocks/base/block_checks.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <sstream>

namespace gr::fringe {

namespace {

// Starts are a whole number of samples apart to within this; more would turn phases by
// over 9 degrees at the band's edges.
constexpr double max_off_grid = 0.05;
// Rates are equal when rounding explains their difference.
constexpr double same_rate = 1e-9;
// Places beyond are a broken clock's; the numbers have room for them.
constexpr double farthest = 1e18;

template <typename... T>
std::string text(const T&... parts)
{
    std::ostringstream s;
    s.precision(12);
    (s << ... << parts);
    return s.str();
}

} // namespace

item_tags stacked_input::arrival::next_tags()
{
    std::vector<tag_t> here;
    for (; tags_used < tags.size() && tags[tags_used].offset <= offset + used;
         ++tags_used) {
        here.push_back(tags[tags_used]);
    }
    return item_tags(here);
}

std::size_t stacked_input::arrival::run() const
{
    if (tags_used == tags.size()) {
        return left();
    }
    return std::min<std::uint64_t>(left(), tags[tags_used].offset - offset - used);
}

void stacked_input::check_rate(const item_tags& tags, const stack_axis& axis) const
{
    if (tags.rx_rate && std::abs(*tags.rx_rate - axis.rate) > same_rate * axis.rate) {
        throw unstackable(text("stack: input ",
                               d_number,
                               ": rx_rate: ",
                               *tags.rx_rate,
                               " Hz: must be the stack's ",
                               axis.rate,
                               " Hz; streams are stacked sample by sample"));
    }
}

void stacked_input::begin(const item_tags& first, const stack_axis& axis)
{
    check_rate(first, axis);
    d_at_first = true;
    d_freq = d_own_freq = first.rx_freq.value_or(0);
    d_dated = first.rx_time.has_value();
    if (!d_dated) {
        return;
    }
    const double place = axis.place(*first.rx_time);
    if (!(std::abs(place) < farthest) ||
        std::abs(place - std::round(place)) > max_off_grid) {
        throw unstackable(text("stack: input ",
                               d_number,
                               ": starts at ",
                               first.rx_time->iso(9),
                               ", ",
                               -place,
                               " samples before the last of the inputs; starts must be a "
                               "whole number of samples apart, within ",
                               max_off_grid));
    }
    d_next = std::llround(place);
    if (d_next < 0) {
        d_warning =
            text("input ", d_number, ": starts ", -d_next, " samples early; dropped");
    }
}

void stacked_input::restart()
{
    d_at_first = false;
    d_lost = true;
}

void stacked_input::go_on_at(std::int64_t place)
{
    d_lost = false;
    if (place > d_next) {
        d_warning = text("gap: input ",
                         d_number,
                         ": dated by the clock again, as the flowgraph was changed: ",
                         place - d_next,
                         " samples are missing");
        d_next = place;
    }
}

// Tags behind the stream's first sample: where does it go on?
void stacked_input::follow(const item_tags& tags, const stack_axis& axis)
{
    check_rate(tags, axis);
    if (!d_alone && tags.rx_freq && d_freq != 0 && *tags.rx_freq != d_freq) {
        d_warning = text("input ",
                         d_number,
                         ": tuned from ",
                         d_freq,
                         " to ",
                         *tags.rx_freq,
                         " Hz: its samples are flagged until all inputs are tuned alike");
    }
    d_own_freq = d_freq == 0 ? tags.rx_freq.value_or(0) : d_own_freq;
    d_freq = tags.rx_freq.value_or(d_freq);
    if (!tags.rx_time) {
        return;
    }
    if (!d_dated) {
        d_warning = text("input ",
                         d_number,
                         ": an rx_time in a stream that began without one is not used");
        return;
    }
    d_lost = false;
    const double place = std::clamp(axis.place(*tags.rx_time), -farthest, farthest);
    const std::int64_t now = std::llround(place);
    if (now > d_next) {
        d_warning =
            text("gap: input ", d_number, ": ", now - d_next, " samples are missing");
    } else if (now < d_next) {
        d_warning =
            text("input ",
                 d_number,
                 ": rx_time goes back by ",
                 d_next - now,
                 " samples: unless all inputs do so, what was sent already is dropped");
    }
    d_next = now;
}

void stacked_input::fill(arrival& a,
                         const stack_axis& axis,
                         std::int64_t place,
                         std::uint8_t* row,
                         std::vector<invalid_run>& lost)
{
    while (d_filled < d_block) {
        const std::int64_t here = place + static_cast<std::int64_t>(d_filled);
        if (a.left() > 0 && a.run() == 0) {
            const item_tags tags = a.next_tags();
            const std::int64_t expected = d_next;
            if (!d_at_first) {
                follow(tags, axis);
            }
            if (d_next < expected) { // perhaps the others do so as well
                break;
            }
        } else if (d_lost && a.left() > 0) {
            d_lost = false;
            d_warning =
                text("input ",
                     d_number,
                     ": goes on after a change of the flowgraph without an rx_time: what "
                     "GNU Radio dropped makes its times wrong");
        } else if (d_next > here) {
            fill_zeros(
                static_cast<std::size_t>(std::min<std::int64_t>(d_next - here, d_block)),
                row,
                lost);
        } else if (a.left() == 0) {
            break;
        } else if (d_next < here) {
            const auto drop = std::min<std::int64_t>(here - d_next, a.run());
            // Before place 0 they are early, not late.
            d_late +=
                std::max<std::int64_t>(0, drop - std::max<std::int64_t>(0, -d_next));
            a.used += static_cast<std::size_t>(drop);
            d_at_first = d_at_first && drop == 0;
            d_next += drop;
        } else {
            const std::size_t n = std::min(a.run(), d_block - d_filled);
            if (tuned() == 0) {
                std::memcpy(row + d_filled * d_sample_bytes,
                            a.samples + a.used * d_sample_bytes,
                            n * d_sample_bytes);
                d_filled += n;
            } else {
                fill_zeros(n, row, lost);
            }
            a.used += n;
            d_at_first = false;
            d_next += static_cast<std::int64_t>(n);
        }
    }
}

void stacked_input::fill_zeros(std::size_t samples,
                               std::uint8_t* row,
                               std::vector<invalid_run>& lost)
{
    const std::size_t zeros = std::min(samples, d_block - d_filled);
    if (zeros == 0) {
        return;
    }
    std::memset(row + d_filled * d_sample_bytes, 0, zeros * d_sample_bytes);
    lost.push_back({d_number, d_filled, zeros});
    d_missing += zeros;
    d_filled += zeros;
}

std::string stacked_input::take_warning()
{
    std::string warning;
    warning.swap(d_warning);
    return warning;
}

stacked_input::arrival
arrived(const gr::block& self, unsigned port, int count, const void* in)
{
    stacked_input::arrival a;
    const gr::block_detail_sptr detail = self.detail();
    a.samples = static_cast<const std::uint8_t*>(in);
    a.count = static_cast<std::size_t>(count);
    a.offset = detail->nitems_read(port);
    a.last = input_closed(self, port) && detail->input(port)->items_available() == count;
    detail->get_tags_in_range(
        a.tags, port, a.offset, a.offset + a.count, self.unique_id());
    std::stable_sort(a.tags.begin(), a.tags.end(), tag_t::offset_compare);
    return a;
}

} // namespace gr::fringe
