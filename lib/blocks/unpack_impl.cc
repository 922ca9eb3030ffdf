/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/stream_tags.h"
#include "io/recording.h"
#include <algorithm>
#include <gnuradio/fringe/unpack.h>
#include <gnuradio/io_signature.h>
#include <numeric>

namespace gr {
namespace fringe {

namespace {

const std::string me = "unpack";

kernels::component chosen_component(const kernels::encoding& e, const std::string& name)
{
    const auto c = name == "auto" ? e.natural : kernels::component_from_name(name);
    require(e.unpack[0][static_cast<int>(c)] != nullptr,
            me,
            "component",
            name,
            "cannot hold the values of format " + e.name + "; \"" +
                kernels::component_name(e.natural) + "\" or wider can");
    return c;
}

// [place in the recording] -> input, from [input] -> place.
std::vector<std::size_t> rows_of(const std::vector<std::size_t>& streams,
                                 std::size_t inputs)
{
    std::vector<std::size_t> rows(inputs);
    if (streams.empty()) {
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }
    require(streams.size() == inputs,
            me,
            "streams",
            std::to_string(streams.size()) + " values",
            "give one for each of the " + std::to_string(inputs) + " inputs, or none");
    std::fill(rows.begin(), rows.end(), inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        require(streams[i] < inputs && rows[streams[i]] == inputs,
                me,
                "streams",
                streams[i],
                "every place 0 ... " + std::to_string(inputs - 1) + " must be used once");
        rows[streams[i]] = i;
    }
    return rows;
}

class unpack_impl : public unpack
{
public:
    unpack_impl(const kernels::encoding& encoding,
                std::size_t inputs,
                std::size_t block_samples,
                kernels::component component,
                std::size_t files,
                const std::vector<std::size_t>& streams,
                kernels::backend backend)
        : gr::sync_block(
              "fringe_unpack",
              gr::io_signature::make(
                  1, 1, item_bytes(me, encoding.bytes(inputs, block_samples))),
              gr::io_signature::make(
                  1,
                  1,
                  item_bytes(me,
                             inputs * block_samples * encoding.sample_bytes(component)))),
          d_encoding(encoding),
          d_function(
              d_encoding.unpack[static_cast<int>(backend)][static_cast<int>(component)]),
          d_streams_per_file(inputs / files),
          d_block(block_samples),
          d_rows(rows_of(streams, inputs)),
          d_in_bytes(d_encoding.bytes(inputs, block_samples)),
          d_out_bytes(inputs * block_samples * d_encoding.sample_bytes(component))
    {
        use_whole_pages(*this, 0, d_out_bytes);
        set_tag_propagation_policy(TPP_DONT); // `invalid` changes on the way
    }

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override
    {
        const auto* in = static_cast<const std::uint8_t*>(input_items[0]);
        auto* out = static_cast<std::uint8_t*>(output_items[0]);
        for (int k = 0; k < noutput_items; ++k) {
            forward_tags(nitems_read(0) + k);
            for (std::size_t s = 0; s < d_rows.size(); s += d_streams_per_file) {
                d_function(in + d_encoding.bytes(s, d_block),
                           d_streams_per_file,
                           d_block,
                           &d_rows[s],
                           out,
                           d_block);
            }
            in += d_in_bytes;
            out += d_out_bytes;
        }
        return noutput_items;
    }

private:
    // Items are one to one, so tags keep their place; those on streams become ones on inputs.
    void forward_tags(std::uint64_t item)
    {
        std::vector<tag_t> found;
        get_tags_in_range(found, 0, item, item + 1);
        for (const tag_t& t : found) {
            if (!pmt::eq(t.key, tag::invalid())) {
                add_item_tag(0, item, t.key, t.value);
            }
        }
        auto runs = item_tags(found).invalid;
        for (invalid_run& r : runs) {
            r.input = r.input < d_rows.size() ? d_rows[r.input] : d_rows.size();
        }
        if (!runs.empty()) {
            add_item_tag(0, item, tag::invalid(), from_invalid(runs));
        }
    }

    const kernels::encoding d_encoding;
    const kernels::encoding::function d_function;
    const std::size_t d_streams_per_file;
    const std::size_t d_block;
    const std::vector<std::size_t> d_rows;
    const std::size_t d_in_bytes;
    const std::size_t d_out_bytes;
};

} // namespace

unpack::sptr unpack::make(const std::string& format,
                          std::size_t inputs,
                          std::size_t block_samples,
                          const std::string& component,
                          std::size_t files,
                          const std::vector<std::size_t>& streams,
                          const std::string& backend)
{
    const kernels::encoding& e = io::encoding_by_name(format);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(block_samples > 0 && block_samples * e.bits % 8 == 0,
            me,
            "block_samples",
            block_samples,
            "must make whole bytes of samples of " + std::to_string(e.bits) + " bits");
    require(files > 0 && inputs % files == 0,
            me,
            "files",
            files,
            "must divide the " + std::to_string(inputs) + " inputs");
    return gnuradio::make_block_sptr<unpack_impl>(e,
                                                  inputs,
                                                  block_samples,
                                                  chosen_component(e, component),
                                                  files,
                                                  streams,
                                                  kernels::backend_from_name(backend));
}

} // namespace fringe
} // namespace gr
