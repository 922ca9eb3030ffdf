/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/lfile_description.h"
#include "kernels/base/types.h"
#include <cstdio>
#include <endian.h>
#include <sstream>

namespace gr::fringe::io {

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

} // namespace

std::string lfile_header(const std::string& what, const visibility_file_params& p)
{
    std::ostringstream s;
    s << "# " << what << "\n"
      << "# Products (i, j), i <= j, row-major: 0-0, 0-1, ... 1-1, ...; V_ij = <x_i conj "
         "x_j>.\n"
      << "format: gr-fringe L-file\n"
      << "version: 1\n"
      << "software: gr-fringe " FRINGE_VERSION "\n"
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

std::string lfile_line(const dump& d)
{
    return "- {start: \"" + d.start.iso(9) + "\", interval: " + yaml_number(d.interval) +
           ", exposure: " + yaml_number(d.exposure) + "}\n";
}

std::string lfile_notes(const std::string& notes)
{
    return notes.empty() ? "" : "notes: |2\n" + indented(notes);
}

} // namespace gr::fringe::io
