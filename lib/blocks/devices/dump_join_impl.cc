/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/guarded_block.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/workers.h"
#include <algorithm>
#include <cstring>
#include <gnuradio/fringe/dump_join.h>
#include <gnuradio/io_signature.h>
#include <numeric>

namespace gr {
namespace fringe {

namespace {

const std::string me = "dump_join";

std::size_t sum_of(const std::vector<std::size_t>& parts)
{
    return std::accumulate(parts.begin(), parts.end(), std::size_t(0));
}

// Visibilities of all parts, then their weights.
std::vector<int> port_bytes(std::size_t values, std::size_t parts)
{
    std::vector<int> bytes(parts, item_bytes(me, values * 8));
    bytes.resize(2 * parts, item_bytes(me, values * 4));
    return bytes;
}

class dump_join_impl : public dump_join, public guarded_block
{
public:
    dump_join_impl(std::size_t inputs,
                   const std::vector<std::size_t>& channels,
                   std::size_t channels_per_item);

    bool start() override
    {
        begin_run();
        d_channel = 0;
        d_tags.clear();
        d_shared = kernels::workers::shared();
        return true;
    }
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return join(noutput_items, ninput_items, input_items, output_items);
        });
    }

private:
    std::size_t part_of(std::size_t channel) const;
    std::vector<std::size_t> items_wanted() const;
    int join(int space,
             const gr_vector_int& available,
             const gr_vector_const_void_star& in,
             const gr_vector_void_star& out);
    void begin_part(std::size_t part, std::uint64_t item, std::uint64_t out_item);
    void copy(void* to, const void* from, std::size_t bytes);

    const std::size_t d_values; // of a channel
    const std::vector<std::size_t> d_parts;
    const std::size_t d_channels, d_per_item, d_per_part_item;
    std::vector<std::size_t> d_first; // channel of each part
    std::size_t d_channel = 0;        // that comes next
    std::vector<tag_t> d_tags;        // of the dump under way
    std::shared_ptr<kernels::workers> d_shared;
};

dump_join_impl::dump_join_impl(std::size_t inputs,
                               const std::vector<std::size_t>& channels,
                               std::size_t channels_per_item)
    : gr::block("fringe_dump_join",
                gr::io_signature::makev(
                    static_cast<int>(2 * channels.size()),
                    static_cast<int>(2 * channels.size()),
                    port_bytes(joined_channels(channels, channels_per_item) *
                                   kernels::baselines(inputs),
                               channels.size())),
                gr::io_signature::makev(
                    2, 2, port_bytes(channels_per_item * kernels::baselines(inputs), 1))),
      d_values(kernels::baselines(inputs)),
      d_parts(channels),
      d_channels(sum_of(channels)),
      d_per_item(channels_per_item),
      d_per_part_item(joined_channels(channels, channels_per_item))
{
    set_tag_propagation_policy(TPP_DONT);
    const std::size_t parts = channels.size();
    for (std::size_t k = 0, first = 0; k < parts; first += channels[k++]) {
        d_first.push_back(first);
        const auto fields = dump_fields(inputs, channels[k], d_per_part_item);
        d_streams.expect(k, stream_kind::visibilities, fields);
        d_streams.expect(parts + k, stream_kind::weights, fields);
    }
    const auto fields = dump_fields(inputs, d_channels, d_per_item);
    d_streams.send(0, stream_kind::visibilities, fields);
    d_streams.send(1, stream_kind::weights, fields);
    for (int port = 0; port < 2; ++port) {
        use_whole_pages(*this, port, output_signature()->sizeof_stream_item(port));
    }
}

std::size_t dump_join_impl::part_of(std::size_t channel) const
{
    const auto next = std::upper_bound(d_first.begin(), d_first.end(), channel);
    return static_cast<std::size_t>(next - d_first.begin()) - 1;
}

// Items of each part that the next item is made of.
std::vector<std::size_t> dump_join_impl::items_wanted() const
{
    std::vector<std::size_t> wanted(d_parts.size());
    for (std::size_t c = 0; c < d_per_item; c += d_per_part_item) {
        ++wanted[part_of(d_channel + c)];
    }
    return wanted;
}

void dump_join_impl::forecast(int, gr_vector_int& required)
{
    const auto wanted = items_wanted();
    for (std::size_t k = 0; k < d_parts.size(); ++k) {
        required[k] = required[d_parts.size() + k] = static_cast<int>(wanted[k]);
    }
}

// The first item of a part of a dump comes: its tags are those of the dump.
void dump_join_impl::begin_part(std::size_t part,
                                std::uint64_t item,
                                std::uint64_t out_item)
{
    std::vector<tag_t> found = tags_of(*this, static_cast<unsigned>(part), item);
    if (part > 0) {
        const item_tags own(found), first(d_tags);
        if (own.rx_time != first.rx_time || own.interval != first.interval) {
            throw std::runtime_error("the dumps of its parts are not of the same time");
        }
        return;
    }
    d_tags = std::move(found);
    for (const tag_t& t : d_tags) {
        if (!pmt::eq(t.key, tag::stream())) {
            add_item_tag(0, out_item, t.key, t.value);
            add_item_tag(1, out_item, t.key, t.value);
        }
    }
}

// Large items by several threads: one alone would be slower than the links of the GPUs.
void dump_join_impl::copy(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t piece = std::size_t(1) << 20;
    d_shared->run((bytes + piece - 1) / piece, [&](std::size_t k, unsigned) {
        std::memcpy(static_cast<char*>(to) + k * piece,
                    static_cast<const char*>(from) + k * piece,
                    std::min(piece, bytes - k * piece));
    });
}

int dump_join_impl::join(int space,
                         const gr_vector_int& available,
                         const gr_vector_const_void_star& in,
                         const gr_vector_void_star& out)
{
    const std::size_t parts = d_parts.size();
    std::vector<std::size_t> taken(parts);
    int produced = 0;
    const auto there = [&] {
        const auto wanted = items_wanted();
        for (std::size_t k = 0; k < parts; ++k) {
            const auto fewest =
                static_cast<std::size_t>(std::min(available[k], available[parts + k]));
            if (taken[k] + wanted[k] > fewest) {
                return false;
            }
        }
        return true;
    };
    for (; produced < space && there(); ++produced) {
        for (std::size_t c = 0; c < d_per_item; c += d_per_part_item) {
            const std::size_t part = part_of(d_channel + c);
            if (d_channel + c == d_first[part]) {
                begin_part(part,
                           nitems_read(static_cast<unsigned>(part)) + taken[part],
                           nitems_written(0) + static_cast<unsigned>(produced));
            }
            for (std::size_t port = 0; port < 2; ++port) {
                const std::size_t channel = d_values * (port == 0 ? 8 : 4);
                const std::size_t item = d_per_part_item * channel;
                copy(static_cast<char*>(out[port]) +
                         (static_cast<std::size_t>(produced) * d_per_item + c) * channel,
                     static_cast<const char*>(in[port * parts + part]) +
                         taken[part] * item,
                     item);
            }
            ++taken[part];
        }
        d_channel = (d_channel + d_per_item) % d_channels;
    }
    for (std::size_t k = 0; k < parts; ++k) {
        consume(static_cast<int>(k), static_cast<int>(taken[k]));
        consume(static_cast<int>(parts + k), static_cast<int>(taken[k]));
    }
    return produced;
}

} // namespace

std::size_t dump_join::joined_channels(const std::vector<std::size_t>& channels,
                                       std::size_t channels_per_item)
{
    std::size_t common = channels_per_item;
    for (const std::size_t part : channels) {
        common = std::gcd(common, part);
    }
    return common;
}

dump_join::sptr dump_join::make(std::size_t inputs,
                                const std::vector<std::size_t>& channels,
                                std::size_t channels_per_item)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(!channels.empty(), me, "channels", "none", "name those of each part");
    for (const std::size_t part : channels) {
        require(part > 0, me, "channels", "an empty part", "each must have at least one");
    }
    require(channels_per_item > 0 && sum_of(channels) % channels_per_item == 0,
            me,
            "channels_per_item",
            channels_per_item,
            "must divide the " + std::to_string(sum_of(channels)) + " channels");
    return gnuradio::make_block_sptr<dump_join_impl>(inputs, channels, channels_per_item);
}

} // namespace fringe
} // namespace gr
