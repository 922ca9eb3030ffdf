/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/growing_file.h"
#include "io/output_target.h"
#include "io/writers/writers.h"
#include "kernels/types.h"
#include <algorithm>
#include <cstdio>
#include <endian.h>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace gr {
namespace fringe {
namespace io {

namespace {

// Text as the indented lines of a YAML block.
std::string indented(const std::string& text)
{
    std::string all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        all += "  " + line + "\n";
    return all;
}

std::string yaml_number(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

std::string side_header(const visibility_file_params& p)
{
    std::ostringstream s;
    s << "# Describes the L-file of the same name: [dump][product][channel] complex64.\n"
      << "# Products (i, j), i <= j, row-major: 0-0, 0-1, ... 1-1, ...; V_ij = <x_i conj "
         "x_j>.\n"
      << "format: gr-fringe L-file\n"
      << "version: 1\n"
      << "inputs: " << p.observation.inputs.size() << "\n"
      << "products: " << kernels::baselines(p.observation.inputs.size()) << "\n"
      << "channels: " << p.channels << "\n"
      << "complex_samples: " << (p.complex_samples ? "true" : "false") << "\n"
      << "byte_order: " << (htole16(1) == 1 ? "little" : "big") << "\n"
      << "history: |2\n"
      << indented(p.history) << "frequencies: [";
    const auto frequencies =
        p.observation.channel_frequencies(p.channels, p.complex_samples);
    for (std::size_t k = 0; k < frequencies.size(); k++)
        s << (k ? ", " : "") << yaml_number(frequencies[k]);
    s << "]\nobservation: |2\n" << indented(p.observation.to_text()) << "dumps:\n";
    return s.str();
}

std::string side_line(const dump& d)
{
    return "- {start: \"" + d.start.iso(9) + "\", interval: " + yaml_number(d.interval) +
           ", exposure: " + yaml_number(d.exposure) + "}\n";
}

class acc_writer : public visibility_writer
{
public:
    acc_writer(const std::string& path, const visibility_file_params& params)
        : d_params(params),
          d_data_target(path, output_target::kind::file, params.overwrite),
          d_side_target(path + ".yml",
                        output_target::kind::file,
                        params.overwrite,
                        d_data_target.partial() + ".yml")
    {
        try {
            const std::string header = side_header(d_params);
            d_data.emplace(d_data_target.partial(), path);
            d_side.emplace(d_side_target.partial(), path + ".yml");
            d_side->add(header.data(), header.size());
            d_side->end_piece();
        } catch (const std::exception&) {
            d_data_target.discard();
            d_side_target.discard();
            throw;
        }
    }

    ~acc_writer() override
    {
        try {
            abandon();
        } catch (const std::exception&) {
            // The partial name says that it is not whole.
        }
    }

    void write(const dump& d) override;

    void finish() override
    {
        if (d_closed)
            return;
        if (d_dumps == 0)
            throw std::runtime_error(d_data_target.path() +
                                     ": not one dump was written, so no file is made");
        d_data->close();
        d_side->close();
        d_closed = true;
        // The description first: a file that has its own name is always described.
        d_side_target.commit();
        d_data_target.commit();
    }

    void abandon() override
    {
        if (d_closed)
            return;
        d_closed = true;
        if (d_dumps == 0) {
            d_data_target.discard();
            d_side_target.discard();
        }
    }

private:
    const visibility_file_params d_params;
    output_target d_data_target;
    output_target d_side_target;
    std::optional<growing_file> d_data;
    std::optional<growing_file> d_side;
    std::size_t d_dumps = 0;
    bool d_closed = false;
    std::vector<std::complex<float>> d_block;
};

void acc_writer::write(const dump& d)
{
    check_dump(d_data_target.path(), d_params, d);
    const std::size_t channels = d_params.channels;
    const std::size_t products = kernels::baselines(d_params.observation.inputs.size());
    // [channel][product] to [product][channel], about 1 MB of products at a time and in
    // tiles that stay in the first-level cache.
    constexpr std::size_t tile = 16;
    const std::size_t step =
        std::max<std::size_t>(tile, (1u << 17) / channels / tile * tile);
    d_block.resize(std::min(step, products) * channels);
    try {
        for (std::size_t p0 = 0; p0 < products; p0 += step) {
            const std::size_t count = std::min(step, products - p0);
            for (std::size_t pt = 0; pt < count; pt += tile)
                for (std::size_t c0 = 0; c0 < channels; c0 += tile)
                    for (std::size_t p = pt; p < std::min(pt + tile, count); p++)
                        for (std::size_t c = c0; c < std::min(c0 + tile, channels); c++) {
                            const std::size_t from = c * products + p0 + p;
                            d_block[p * channels + c] =
                                d.weights[from] > 0 ? d.visibilities[from] : 0;
                        }
            d_data->add(d_block.data(), count * channels * sizeof d_block[0]);
        }
        const std::string line = side_line(d);
        d_side->add(line.data(), line.size());
    } catch (const std::exception&) {
        d_data->cut();
        d_side->cut();
        throw;
    }
    d_data->end_piece();
    d_side->end_piece();
    d_dumps++;
}

} // namespace

std::unique_ptr<visibility_writer> make_acc_writer(const std::string& path,
                                                   const visibility_file_params& params)
{
    return std::make_unique<acc_writer>(path, params);
}

} // namespace io
} // namespace fringe
} // namespace gr
