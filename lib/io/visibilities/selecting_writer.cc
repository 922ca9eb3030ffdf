/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/selecting_writer.h"
#include <gnuradio/fringe/dump_axes.h>
#include <stdexcept>

namespace gr::fringe::io {

selecting_writer::selecting_writer(const std::string& path,
                                   const visibility_file_params& params,
                                   std::unique_ptr<visibility_writer> file)
    : d_path(path), d_file(std::move(file)), d_channels(params.channels)
{
    dump_selection keep;
    keep.products = params.products;
    const dump_axes axes(
        params.observation, params.channels, params.complex_samples, keep);
    for (const auto& terms : axes.terms())
        d_places.push_back(terms[0].product);
    d_products = axes.received_products();
    const baseline_layout layout(params.observation, path);
    for (std::size_t r = 0; r < layout.rows.size(); r++)
        if (holds(params.products, layout.rows[r]))
            d_whole.rows.push_back(static_cast<std::uint32_t>(r));
    d_whole.visibilities.resize(d_channels * d_products);
    d_whole.weights.resize(d_channels * d_products);
}

void selecting_writer::write(const dump& d)
{
    const std::size_t cells = d_channels * d_places.size();
    if (d.visibilities.size() != cells || d.weights.size() != cells)
        throw std::invalid_argument(
            d_path + ": a dump must have " + std::to_string(cells) +
            " visibilities and weights (channels x products), not " +
            std::to_string(d.visibilities.size()) + " and " +
            std::to_string(d.weights.size()));
    d_whole.start = d.start;
    d_whole.interval = d.interval;
    d_whole.exposure = d.exposure;
    d_whole.flags.resize(d.flags.empty() ? 0 : d_whole.weights.size());
    std::size_t from = 0;
    for (std::size_t c = 0; c < d_channels; c++)
        for (const std::size_t p : d_places) {
            const std::size_t to = c * d_products + p;
            d_whole.visibilities[to] = d.visibilities[from];
            d_whole.weights[to] = d.weights[from];
            if (!d.flags.empty())
                d_whole.flags[to] = d.flags[from];
            from++;
        }
    d_file->write(d_whole);
}

} // namespace gr::fringe::io
