/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/devices/joining_block.h"
#include "blocks/ports/stream_kinds.h"
#include "stages/add_sums.h"
#include <algorithm>
#include <cstring>
#include <gnuradio/fringe/sum_join.h>
#include <gnuradio/io_signature.h>
#include <stdexcept>

namespace gr::fringe {

namespace {

const std::string me = "sum_join";

class sum_join_impl : public sum_join, public joining_block
{
public:
    sum_join_impl(std::size_t parts,
                  std::size_t inputs,
                  std::size_t channels,
                  const std::string& component,
                  std::size_t channels_per_item);

    bool start() override;
    void forecast(int noutput_items, gr_vector_int& required) override;

private:
    int join(int space,
             const gr_vector_int& available,
             const gr_vector_const_void_star& in,
             const gr_vector_void_star& out) override;
    bool drop(const gr_vector_int& available);
    bool begin_sum(std::uint64_t out_item);
    void leave_out(const std::vector<item_tags>& parts);

    const bool d_integer;
    const std::size_t d_bytes, d_items; // of an item, of a sum
    std::size_t d_item = 0;             // of the sum that comes next
    std::vector<std::size_t> d_to_drop, d_taken;
    bool d_begun = false;     // a sum has come, in this run or an earlier one
    bool d_restarted = false; // some had come before this run
};

sum_join_impl::sum_join_impl(std::size_t parts,
                             std::size_t inputs,
                             std::size_t channels,
                             const std::string& component,
                             std::size_t channels_per_item)
    : gr::block(
          "fringe_sum_join",
          gr::io_signature::make(
              static_cast<int>(parts),
              static_cast<int>(parts),
              item_bytes(me, channels_per_item * kernels::baselines(inputs) * 8)),
          gr::io_signature::make(
              1, 1, item_bytes(me, channels_per_item * kernels::baselines(inputs) * 8))),
      d_integer(component == "i8"),
      d_bytes(channels_per_item * kernels::baselines(inputs) * 8),
      d_items(channels / channels_per_item),
      d_to_drop(parts),
      d_taken(parts)
{
    set_tag_propagation_policy(TPP_DONT);
    const stream_fields fields{{"inputs", inputs},
                               {"channels", channels},
                               {"channels_per_item", channels_per_item},
                               {"component", component}};
    for (std::size_t k = 0; k < parts; ++k) {
        d_streams.expect(k, stream_kind::sums, fields);
    }
    d_streams.send(0, stream_kind::sums, fields);
    use_whole_pages(*this, 0, d_bytes);
}

bool sum_join_impl::start()
{
    begin_run();
    d_item = 0;
    d_restarted = d_begun;
    std::fill(d_to_drop.begin(), d_to_drop.end(), 0);
    return true;
}

void sum_join_impl::forecast(int, gr_vector_int& required)
{
    const bool drops =
        std::any_of(d_to_drop.begin(), d_to_drop.end(), [](auto n) { return n > 0; });
    for (std::size_t k = 0; k < required.size(); ++k) {
        required[k] = !drops || d_to_drop[k] > 0;
    }
}

// Drops items that are there. True when none is left to drop.
bool sum_join_impl::drop(const gr_vector_int& available)
{
    bool done = true;
    for (std::size_t k = 0; k < d_to_drop.size(); ++k) {
        const std::size_t some =
            std::min(d_to_drop[k], static_cast<std::size_t>(available[k]) - d_taken[k]);
        d_to_drop[k] -= some;
        d_taken[k] += some;
        done &= d_to_drop[k] == 0;
    }
    return done;
}

// Parts of which some were lost do not make a sum.
void sum_join_impl::leave_out(const std::vector<item_tags>& parts)
{
    if (!d_restarted) {
        throw std::runtime_error("the sums of its parts are not of the same spectra");
    }
    if (!parts.front().rx_time) {
        throw std::runtime_error("after a change of the flowgraph the parts of a sum are "
                                 "distinguished by their times, and the data have none");
    }
    epoch first = *parts.front().rx_time;
    for (const item_tags& t : parts) {
        if (t.rx_time && t.rx_time->seconds_since(first) < 0) {
            first = *t.rx_time;
        }
    }
    std::uint64_t spectra = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (!parts[k].rx_time || parts[k].rx_time->seconds_since(first) <= 0) {
            d_to_drop[k] = d_items;
            spectra = std::max(spectra, parts[k].spectra.value_or(0));
        }
    }
    d_logger->warn("{:d} spectra are left out: GNU Radio dropped sums of some GPUs when "
                   "the flowgraph was changed",
                   spectra);
}

// The first items of a sum are there. True when they belong together: the tags of the first
// part go on.
bool sum_join_impl::begin_sum(std::uint64_t out_item)
{
    const auto parts = read_tags(d_taken);
    if (!std::all_of(parts.begin(), parts.end(), [&](const item_tags& t) {
            return t.rx_time == parts.front().rx_time &&
                   t.spectra == parts.front().spectra;
        })) {
        leave_out(parts);
        return false;
    }
    pass_tags(out_item);
    d_begun = true;
    return true;
}

int sum_join_impl::join(int space,
                        const gr_vector_int& available,
                        const gr_vector_const_void_star& in,
                        const gr_vector_void_star& out)
{
    std::fill(d_taken.begin(), d_taken.end(), 0);
    const auto all_there = [&] {
        for (std::size_t k = 0; k < d_taken.size(); ++k) {
            if (d_taken[k] >= static_cast<std::size_t>(available[k])) {
                return false;
            }
        }
        return true;
    };
    int produced = 0;
    after_items(produced, [&] {
        while (produced < space && drop(available) && all_there()) {
            if (d_item == 0 &&
                !begin_sum(nitems_written(0) + static_cast<std::uint64_t>(produced))) {
                continue;
            }
            char* const sum = static_cast<char*>(out[0]) + produced * d_bytes;
            for (std::size_t k = 0; k < d_taken.size(); ++k) {
                const char* part =
                    static_cast<const char*>(in[k]) + d_taken[k]++ * d_bytes;
                if (k == 0) {
                    std::memcpy(sum, part, d_bytes);
                } else {
                    add_sums(d_integer, sum, part, d_bytes / 4);
                }
            }
            d_item = (d_item + 1) % d_items;
            ++produced;
        }
    });
    for (std::size_t k = 0; k < d_taken.size(); ++k) {
        consume(static_cast<int>(k), static_cast<int>(d_taken[k]));
    }
    return produced;
}

} // namespace

sum_join::sptr sum_join::make(std::size_t parts,
                              std::size_t inputs,
                              std::size_t channels,
                              const std::string& component,
                              std::size_t channels_per_item)
{
    require(parts > 0, me, "parts", parts, "must be at least 1");
    check_sums(me, inputs, channels, component);
    return gnuradio::make_block_sptr<sum_join_impl>(
        parts,
        inputs,
        channels,
        component,
        item_channels(me, channels_per_item, inputs, channels));
}

} // namespace gr::fringe
