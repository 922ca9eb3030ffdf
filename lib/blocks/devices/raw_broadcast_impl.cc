/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/devices/crossing_block.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/raw_broadcast.h>
#include <gnuradio/io_signature.h>
#include <optional>

namespace gr::fringe {

namespace {

const std::string me = "raw_broadcast";
using kernels::device_stream;

class raw_broadcast_impl : public raw_broadcast, public crossing_block
{
public:
    raw_broadcast_impl(std::size_t bytes, const devices& on)
        : gr::block("fringe_raw_broadcast",
                    gr::io_signature::make(1, 1, item_bytes(me, bytes)),
                    gr::io_signature::make(static_cast<int>(on.size()),
                                           static_cast<int>(on.size()),
                                           item_bytes(me, bytes))),
          crossing_block(on),
          d_bytes(bytes),
          d_arrived(make_events())
    {
    }

private:
    std::shared_ptr<kernels::device> input_device(std::size_t) const override
    {
        return nullptr;
    }
    void open_inputs() override
    {
        d_registered.emplace(d_on.front(), detail()->input(0)->buffer());
    }
    void close_inputs() override { d_registered.reset(); }
    std::size_t item_bytes_in(std::size_t, kernels::spectra_layout) const override
    {
        return 0;
    }

    //! Where the share of device d begins: shares are whole pages.
    std::size_t share(std::size_t d) const
    {
        constexpr std::size_t page = 4096;
        return d == d_on.size()
                   ? d_bytes
                   : std::min(d_bytes,
                              (d_bytes * d / d_on.size() + page - 1) / page * page);
    }

    void copy_item(const std::vector<const void*>& in,
                   const std::vector<void*>& out,
                   const events& done) override
    {
        wait_for_readers(device_stream::h2d);
        wait_for_readers(device_stream::peer);
        for (std::size_t g = 0; g < d_on.size(); ++g) {
            if (share(g + 1) > share(g)) {
                d_on[g]->upload(static_cast<char*>(out[g]) + share(g),
                                static_cast<const char*>(in[0]) + share(g),
                                share(g + 1) - share(g));
            }
            d_arrived[g]->record(device_stream::h2d);
        }
        for (std::size_t d = 0; d < d_on.size(); ++d) {
            for (std::size_t g = 0; g < d_on.size(); ++g) {
                d_arrived[g]->make_wait(*d_on[d], device_stream::peer);
                const std::size_t bytes = share(g + 1) - share(g);
                if (g != d && bytes > 0) {
                    d_on[d]->copy_from(
                        *d_on[g],
                        {static_cast<char*>(out[d]) + share(g), bytes},
                        {static_cast<const char*>(out[g]) + share(g), bytes},
                        bytes,
                        1);
                }
            }
            done[d]->record(device_stream::peer);
        }
    }

    void tag_item(std::uint64_t in_item, std::uint64_t out_item) override
    {
        for (const tag_t& t : tags_of(*this, 0, in_item)) {
            for (unsigned d = 0; d < d_on.size(); ++d) {
                add_item_tag(d, out_item, t.key, t.value);
            }
        }
    }

    const std::size_t d_bytes;
    std::optional<registered_ring> d_registered;
    const events d_arrived;
};

} // namespace

raw_broadcast::sptr raw_broadcast::make(std::size_t item_bytes,
                                        const std::vector<std::string>& devices)
{
    return gnuradio::make_block_sptr<raw_broadcast_impl>(item_bytes,
                                                         devices_named(me, devices));
}

bool devices_reach_each_other(const std::vector<std::string>& devices)
{
    const auto on = devices_named("devices", devices);
    return std::all_of(on.begin(), on.end(), [&](const auto& here) {
        return std::all_of(on.begin(), on.end(), [&](const auto& there) {
            return here->reaches(*there);
        });
    });
}

} // namespace gr::fringe
