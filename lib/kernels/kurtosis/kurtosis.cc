/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/kurtosis.h"
#include "kernels/base/require.h"
#include "kernels/kurtosis/backends.h"
#include <cstring>

namespace gr::fringe::kernels {

namespace {
const std::string me = "kurtosis";
} // namespace

void check_spectra(const kurtosis_params& p, std::size_t count)
{
    require(me,
            count <= p.block_spectra,
            std::to_string(count) + " spectra of a block of " +
                std::to_string(p.block_spectra));
}

void check_cells(const kurtosis_params& p, const std::vector<cell_run>& cells)
{
    const std::size_t all = p.channels * p.inputs;
    std::size_t next = 0;
    for (const cell_run& r : cells) {
        const std::size_t end = std::size_t(r.first) + r.count;
        if (r.first < next || r.count == 0 || end > all) { // no sentence for each of many
            require(me,
                    false,
                    "cells " + std::to_string(r.first) + " ... " + std::to_string(end) +
                        "; runs are in order, do not touch, and end before " +
                        std::to_string(all));
        }
        next = end + 1;
    }
}

namespace {

// The same cells of a block whose spectra are one after the other.
void zero_columns(const kurtosis_params& p, void* block, const cell_run& cells)
{
    const std::size_t sample = 2 * component_bytes(p.in);
    for (std::size_t cell = cells.first; cell < cells.first + cells.count; ++cell) {
        const std::size_t first = cell % p.inputs * p.block_spectra;
        for (std::size_t t = first; t < first + p.block_spectra; ++t) {
            const std::size_t at = t * spectra_row(p.channels) + cell / p.inputs;
            std::memset(static_cast<char*>(block) + at * sample, 0, sample);
        }
    }
}

} // namespace

void zero_cells(const kurtosis_params& p,
                const std::vector<void*>& blocks,
                const std::vector<cell_run>& cells)
{
    check_cells(p, cells);
    const std::size_t row = p.block_spectra * 2 * component_bytes(p.in);
    for (void* const block : blocks) {
        for (const cell_run& r : cells) {
            if (p.layout == spectra_layout::time_major) {
                zero_columns(p, block, r);
                continue;
            }
            std::memset(static_cast<char*>(block) + r.first * row, 0, r.count * row);
        }
    }
}

device_factory<kurtosis, kurtosis_params>& kurtosis_factory()
{
    static device_factory<kurtosis, kurtosis_params> the_factory;
    return the_factory;
}

std::unique_ptr<kurtosis> make_kurtosis(const compute_target& where,
                                        const kurtosis_params& p)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    require(me, p.block_spectra >= 1, "block_spectra is 0; it must be at least 1");
    require(me,
            p.in == component::f32 || p.in == component::i8,
            "in is i16; it must be f32 or i8");
    require(me,
            p.layout != spectra_layout::tensor_tiles || p.in == component::i8,
            "tiles hold int8 spectra");
    if (where.kind == backend::cuda) {
        require(me,
                !is_time_major(p.layout),
                "no device sums spectra in the layout time_major; take channel_major");
        return kurtosis_factory().make(where, p);
    }
    require(me, p.layout != spectra_layout::tensor_tiles, "tiles are for devices only");
    return where.kind == backend::generic ? make_generic_kurtosis(p)
                                          : make_cpu_kurtosis(p);
}

} // namespace gr::fringe::kernels
