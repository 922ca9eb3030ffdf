/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/devices/dump_parts.h"
#include "blocks/devices/joining_block.h"
#include "blocks/ports/stream_kinds.h"
#include "kernels/base/workers.h"
#include <algorithm>
#include <cstring>
#include <gnuradio/fringe/dump_join.h>
#include <gnuradio/io_signature.h>
#include <numeric>

namespace gr::fringe {

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

class dump_join_impl : public dump_join, public joining_block
{
public:
    dump_join_impl(std::size_t inputs,
                   const std::vector<std::size_t>& channels,
                   std::size_t channels_per_item);

    bool start() override
    {
        begin_run();
        d_parts.begin_run();
        return true;
    }
    void forecast(int noutput_items, gr_vector_int& required) override;

private:
    int join(int space,
             const gr_vector_int& available,
             const gr_vector_const_void_star& in,
             const gr_vector_void_star& out) override;
    bool begin_dump(const std::vector<std::size_t>& taken, std::uint64_t out_item);
    void write_item(std::vector<std::size_t>& taken,
                    const gr_vector_const_void_star& in,
                    const gr_vector_void_star& out,
                    std::size_t produced);
    void copy(void* to, const void* from, std::size_t bytes);

    const std::size_t d_part_values; // of an item of a part
    dump_parts d_parts;
    const std::shared_ptr<kernels::workers> d_workers;
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
      d_part_values(joined_channels(channels, channels_per_item) *
                    kernels::baselines(inputs)),
      d_parts(channels, channels_per_item, joined_channels(channels, channels_per_item)),
      d_workers(kernels::workers::shared())
{
    set_tag_propagation_policy(TPP_DONT);
    const std::size_t parts = channels.size();
    for (std::size_t k = 0; k < parts; ++k) {
        const auto fields = dump_fields(
            inputs, channels[k], joined_channels(channels, channels_per_item));
        d_streams.expect(k, stream_kind::visibilities, fields);
        d_streams.expect(parts + k, stream_kind::weights, fields);
    }
    const auto fields = dump_fields(inputs, sum_of(channels), channels_per_item);
    d_streams.send(0, stream_kind::visibilities, fields);
    d_streams.send(1, stream_kind::weights, fields);
    for (int port = 0; port < 2; ++port) {
        use_whole_pages(
            *this,
            port,
            static_cast<std::size_t>(output_signature()->sizeof_stream_item(port)));
    }
}

void dump_join_impl::forecast(int, gr_vector_int& required)
{
    const auto wanted = d_parts.items_wanted();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        required[k] = required[wanted.size() + k] = static_cast<int>(wanted[k]);
    }
}

// The parts of the next dump are there. True when they are of the same time: the tags of the
// first go on.
bool dump_join_impl::begin_dump(const std::vector<std::size_t>& taken,
                                std::uint64_t out_item)
{
    const auto parts = read_tags(taken);
    if (!d_parts.begin_dump(parts)) {
        return false;
    }
    pass_tags(out_item);
    return true;
}

// Large items by several threads: one alone would be slower than the links of the GPUs.
void dump_join_impl::copy(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t piece = std::size_t(1) << 20;
    d_workers->run((bytes + piece - 1) / piece, [&](std::size_t k, unsigned) {
        std::memcpy(static_cast<char*>(to) + k * piece,
                    static_cast<const char*>(from) + k * piece,
                    std::min(piece, bytes - k * piece));
    });
}

// Writes the next item of the dump under way, of items behind those that were taken.
void dump_join_impl::write_item(std::vector<std::size_t>& taken,
                                const gr_vector_const_void_star& in,
                                const gr_vector_void_star& out,
                                std::size_t produced)
{
    const auto pieces = d_parts.next_item();
    for (std::size_t n = 0; n < pieces.size(); ++n) {
        const std::size_t part = pieces[n];
        for (std::size_t port = 0; port < 2; ++port) {
            const std::size_t bytes = d_part_values * (port == 0 ? 8 : 4);
            copy(static_cast<char*>(out[port]) + (produced * pieces.size() + n) * bytes,
                 static_cast<const char*>(in[port * d_parts.size() + part]) +
                     taken[part] * bytes,
                 bytes);
        }
        ++taken[part];
    }
    d_parts.done();
}

int dump_join_impl::join(int space,
                         const gr_vector_int& available,
                         const gr_vector_const_void_star& in,
                         const gr_vector_void_star& out)
{
    const std::size_t parts = d_parts.size();
    std::vector<std::size_t> taken(parts), there;
    for (std::size_t k = 0; k < parts; ++k) {
        there.push_back(
            static_cast<std::size_t>(std::min(available[k], available[parts + k])));
    }
    const auto enough = [&] {
        const auto wanted = d_parts.items_wanted();
        for (std::size_t k = 0; k < parts; ++k) {
            if (taken[k] + wanted[k] > there[k]) {
                return false;
            }
        }
        return true;
    };
    int produced = 0;
    after_items(produced, [&] {
        while (produced < space && d_parts.drop(taken, there) && enough()) {
            const auto n = static_cast<std::size_t>(produced);
            if (!d_parts.at_begin() || begin_dump(taken, nitems_written(0) + n)) {
                write_item(taken, in, out, n);
                ++produced;
            }
        }
    });
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

} // namespace gr::fringe
