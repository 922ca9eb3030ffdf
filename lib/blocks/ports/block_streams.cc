/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/block_streams.h"
#include "blocks/ports/stream_tags.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

void block_streams::expect(std::size_t port,
                           const std::string& kind,
                           stream_fields fields)
{
    d_expected[port] = {kind, std::move(fields)};
}

void block_streams::send(std::size_t port, const std::string& kind, stream_fields fields)
{
    d_sent[port] = {kind, std::move(fields)};
}

void block_streams::add(const stream_field& field)
{
    for (auto& [port, s] : d_sent) {
        s.fields[field.name] = field.value;
    }
}

void block_streams::restart()
{
    d_described = false;
    d_received.clear();
}

std::string block_streams::received(const std::string& field) const
{
    const auto found = d_received.find(field);
    return found == d_received.end() ? "" : found->second;
}

void block_streams::open(gr::block& self, const gr_vector_int& available)
{
    for (std::size_t port = 0; port < available.size(); ++port) {
        check(self, port, available[port]);
    }
    if (available.empty() || available[0] > 0) {
        describe(self);
    }
}

void block_streams::check(gr::block& self, std::size_t port, int available)
{
    const auto expected = d_expected.find(port);
    if (expected == d_expected.end() || available <= 0) {
        return;
    }
    std::vector<tag_t> found;
    const std::uint64_t first = self.nitems_read(port);
    self.detail()->get_tags_in_range(found,
                                     port,
                                     first,
                                     first + static_cast<std::uint64_t>(available),
                                     tag::stream(),
                                     self.unique_id());
    if (found.empty()) {
        return;
    }
    const stream_description wanted{
        self.alias(),
        expected->second.kind,
        static_cast<std::size_t>(
            self.input_signature()->sizeof_stream_item(static_cast<int>(port))),
        expected->second.fields};
    for (const tag_t& t : found) {
        const auto sent = stream_description::from_tag(t.value);
        const std::string why = mismatch(wanted, sent);
        if (!why.empty()) {
            throw stream_mismatch(why);
        }
        if (port == 0) {
            d_received = sent.fields;
        }
    }
}

void block_streams::describe(gr::block& self)
{
    if (d_described) {
        return;
    }
    d_described = true;
    for (const auto& [port, sent] : d_sent) {
        if (static_cast<int>(port) >= self.detail()->noutputs()) {
            continue;
        }
        stream_description d{
            self.alias(),
            sent.kind,
            static_cast<std::size_t>(
                self.output_signature()->sizeof_stream_item(static_cast<int>(port))),
            sent.fields};
        for (const auto& [name, value] : d_received) {
            if (passed_on(name)) {
                d.fields.emplace(name, value);
            }
        }
        tag_t t;
        t.offset = self.nitems_written(port);
        t.key = tag::stream();
        t.value = d.to_tag();
        self.detail()->add_item_tag(port, t);
    }
}

} // namespace gr::fringe
