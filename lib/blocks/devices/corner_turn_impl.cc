/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/devices/crossing_block.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "stages/corner_slabs.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/fringe/corner_turn.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

const std::string me = "corner_turn";
using kernels::device_stream;
using kernels::spectra_layout;

std::vector<int> input_bytes(const corner_params& p)
{
    std::vector<int> bytes;
    for (const std::size_t inputs : p.inputs) {
        bytes.push_back(item_bytes(me,
                                   inputs * p.all_channels() * p.block_spectra * 2 *
                                       kernels::component_bytes(p.component)));
    }
    return bytes;
}

std::vector<int> output_bytes(const corner_params& p)
{
    std::vector<int> bytes;
    for (std::size_t d = 0; d < p.channels.size(); ++d) {
        bytes.push_back(item_bytes(me, p.bytes(d, spectra_layout::channel_major)));
    }
    return bytes;
}

class corner_turn_impl : public corner_turn, public crossing_block
{
public:
    corner_turn_impl(const corner_params& p, const devices& on)
        : gr::block("fringe_corner_turn",
                    gr::io_signature::makev(static_cast<int>(on.size()),
                                            static_cast<int>(on.size()),
                                            input_bytes(p)),
                    gr::io_signature::makev(static_cast<int>(on.size()),
                                            static_cast<int>(on.size()),
                                            output_bytes(p))),
          crossing_block(on),
          d_p(p),
          d_written(make_events())
    {
        const char* component = kernels::component_name(p.component);
        for (std::size_t k = 0; k < on.size(); ++k) {
            d_streams.expect(k,
                             on.size() == 1 ? stream_kind::spectra
                                            : stream_kind::spectra_of_some_inputs,
                             {{"inputs", p.inputs[k]},
                              {"first_input", p.first_input(k)},
                              {"channels", p.all_channels()},
                              {"block_spectra", p.block_spectra},
                              {"component", component}});
            d_streams.send(k,
                           stream_kind::spectra,
                           {{"inputs", p.all_inputs()},
                            {"channels", p.channels[k]},
                            {"block_spectra", p.block_spectra},
                            {"component", component}});
        }
    }

    //! Those who read the outputs have the say, if a block can be cut like that.
    spectra_layout wanted_layout() const override
    {
        for (const auto& out : d_out) {
            if (out.wanted_layout() != spectra_layout::tensor_tiles) {
                return spectra_layout::channel_major;
            }
        }
        return d_p.tiles_fit() ? spectra_layout::tensor_tiles
                               : spectra_layout::channel_major;
    }

private:
    std::shared_ptr<kernels::device> input_device(std::size_t port) const override
    {
        return d_on[port];
    }
    void open_inputs() override
    {
        for (std::size_t port = 0; port < d_on.size(); ++port) {
            const auto host = detail()->input(port)->buffer();
            if (host->link()) {
                check_same_device(*host, *host->link(), *this);
            }
            d_in.push_back(device_buffer::find(host));
            if (!d_in.back()) {
                throw stream_mismatch(
                    alias() + ": the spectra of input " + std::to_string(port) +
                    " are not on a GPU: put a channelizer with backend cuda:" +
                    std::to_string(d_on[port]->info().index) + " before it");
            }
            if (d_in.back()->layout() != d_in.front()->layout()) {
                throw stream_mismatch(alias() +
                                      ": its inputs have different layouts: connect "
                                      "all blocks before the flowgraph starts");
            }
        }
    }
    void close_inputs() override { d_in.clear(); }
    std::size_t item_bytes_in(std::size_t port, spectra_layout layout) const override
    {
        return layout == d_in.front()->layout() ? d_p.bytes(port, layout) : 0;
    }

    void copy_item(const std::vector<const void*>& in,
                   const std::vector<void*>& out,
                   const events& done) override
    {
        const spectra_layout layout = d_in.front()->layout();
        for (const auto& written : d_written) {
            written->record(device_stream::compute);
        }
        wait_for_readers(device_stream::peer);
        for (std::size_t d = 0; d < d_on.size(); ++d) {
            for (std::size_t g = 0; g < d_on.size(); ++g) {
                d_written[g]->make_wait(*d_on[d], device_stream::peer);
                auto* const from = static_cast<const char*>(d_in[g]->slot(in[g]));
                auto* const to = static_cast<char*>(out[d]);
                for (const corner_slab& s : corner_slabs(d_p, g, d, layout)) {
                    d_on[d]->copy_from(*d_on[g],
                                       {to + s.to, s.to_pitch},
                                       {from + s.from, s.from_pitch},
                                       s.width,
                                       s.rows);
                }
            }
            done[d]->record(device_stream::peer);
        }
    }

    void tag_item(std::uint64_t in_item, std::uint64_t out_item) override
    {
        const std::vector<tag_t> found = tags_of(*this, 0, in_item);
        const item_tags first(found);
        for (unsigned g = 1; g < d_on.size(); ++g) {
            const item_tags other(tags_of(*this, g, in_item));
            if (other.rx_time != first.rx_time || other.spectra != first.spectra) {
                throw std::runtime_error("the spectra of its inputs are not of the same "
                                         "time: give them the same samples");
            }
        }
        for (const tag_t& t : found) {
            if (pmt::eq(t.key, tag::stream())) {
                continue;
            }
            for (unsigned d = 0; d < d_on.size(); ++d) {
                add_item_tag(d, out_item, t.key, t.value);
            }
        }
    }

    const corner_params d_p;
    std::vector<std::shared_ptr<device_buffer>> d_in;
    const events d_written;
};

} // namespace

corner_turn::sptr corner_turn::make(const std::vector<std::size_t>& inputs,
                                    const std::vector<std::size_t>& channels,
                                    std::size_t block_spectra,
                                    const std::string& component,
                                    const std::vector<std::string>& devices)
{
    const auto on = devices_named(me, devices);
    const auto check = [&](const char* name, const std::vector<std::size_t>& parts) {
        require(parts.size() == on.size(),
                me,
                name,
                std::to_string(parts.size()) + " parts",
                "must be one for each of the " + std::to_string(on.size()) + " devices");
        for (const std::size_t part : parts) {
            require(part > 0, me, name, "an empty part", "each must have at least one");
        }
    };
    check("inputs", inputs);
    check("channels", channels);
    require(block_spectra > 0, me, "block_spectra", block_spectra, "must be at least 1");
    corner_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = block_spectra;
    p.component = kernels::component_from_name(component);
    return gnuradio::make_block_sptr<corner_turn_impl>(p, on);
}

} // namespace gr::fringe
