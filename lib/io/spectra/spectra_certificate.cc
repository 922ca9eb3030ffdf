/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/spectra_certificate.h"
#include <cstring>

namespace gr::fringe::io {

void spectra_certificate::add(std::uint64_t block,
                              std::size_t count,
                              const std::int8_t* values,
                              const bool* lost,
                              const double* times)
{
    d_text.set_rows((block + 1) * d_facts.channels);
    add_rows("spectra", block, count, d_facts.channels, 2, values);
    const std::size_t packets = d_facts.packets();
    const std::string none(lost ? 0 : d_facts.lost_cells(), '\0');
    add_rows("lost",
             block,
             count,
             packets,
             1,
             lost ? static_cast<const void*>(lost) : none.data());
    d_text.add("time", block, 1, count * sizeof(double), times);
}

// [row][input][spectrum].
void spectra_certificate::add_rows(const std::string& name,
                                   std::uint64_t block,
                                   std::size_t count,
                                   std::size_t rows,
                                   std::size_t value_bytes,
                                   const void* values)
{
    const std::size_t part = count * value_bytes, whole = d_facts.block * value_bytes;
    if (count < d_facts.block) {
        const auto* from = static_cast<const char*>(values);
        d_part.resize(rows * d_facts.inputs * part);
        for (std::size_t k = 0; k < rows * d_facts.inputs; k++)
            std::memcpy(d_part.data() + k * part, from + k * whole, part);
        values = d_part.data();
    }
    d_text.add(name, block * rows, rows, d_facts.inputs * part, values);
}

} // namespace gr::fringe::io
