/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/filter_bank.h"
#include "kernels/channelizer/backends.h"
#include "stages/item_turns.h"
#include <algorithm>

namespace gr::fringe {

filter_bank::filter_bank(const kernels::compute_target& backend,
                         const kernels::channelizer_params& p)
    : d_backend(backend), d_p(p), d_kernel(kernels::make_channelizer(backend, p))
{
}

std::size_t filter_bank::block_bytes(kernels::spectra_layout layout) const
{
    if (layout == kernels::spectra_layout::tensor_tiles && d_p.requantize_bits == 0) {
        return 0;
    }
    if (layout == kernels::spectra_layout::time_major_items &&
        (d_backend.kind != kernels::backend::cpu || !d_p.complex_samples ||
         d_p.channels % 8 != 0)) {
        return 0;
    }
    kernels::channelizer_params p = d_p;
    p.layout = layout;
    return kernels::block_bytes(p);
}

void filter_bank::set_layout(kernels::spectra_layout layout)
{
    if (layout != d_p.layout) {
        d_p.layout = layout;
        d_kernel = kernels::make_channelizer(d_backend, d_p);
    }
}

void filter_bank::make_spectra(filter_bank_plan::order order,
                               double frequency,
                               const void* in,
                               void* out,
                               std::uint64_t* saturated)
{
    const std::size_t points = d_p.points();
    const std::size_t row_bytes =
        points * kernels::component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
    // Some of the rows, after so many spectra of this call.
    const auto run = [&](std::size_t first, std::size_t rows, std::size_t made) {
        if (order.delays && rows > 0) {
            d_kernel->steer(order.delays.steering(made, frequency));
        }
        d_kernel->process(static_cast<const char*>(in) + first * row_bytes,
                          d_p.block_spectra * points,
                          rows * points,
                          static_cast<char*>(out) + made * spectrum_stride(d_p),
                          saturated);
    };
    std::size_t rows = 0, made = 0;
    if (order.corrections) {
        d_p.corrections = std::move(order.corrections->factors);
        if (d_backend.kind == kernels::backend::cuda) { // a block of tiles is not cut
            d_kernel->set_corrections_from(order.corrections->spectra, d_p.corrections);
        } else {
            rows = order.corrections->rows;
            made = order.corrections->spectra;
            run(0, rows, 0);
            d_kernel->set_corrections(d_p.corrections);
        }
    }
    run(rows, order.rows - rows, made);
    for (const invalid_run& r : order.lost) {
        d_kernel->blank(out, r.input, r.first, r.count);
    }
}

std::size_t filter_bank::kept_rows() const
{
    return d_p.taps - 1 + 2 * kernels::max_shift_rows(d_p);
}

void filter_bank::pass_over(filter_bank_plan::order order,
                            std::uint64_t until_own,
                            double frequency,
                            const void* in,
                            void* out,
                            std::uint64_t* ignored)
{
    if (order.corrections) {
        d_p.corrections = std::move(order.corrections->factors);
        d_kernel->set_corrections(d_p.corrections);
    }
    const item_turns turns{0, 1, kept_rows(), d_p.block_spectra};
    const std::size_t needed = turns.samples_needed(until_own);
    const std::size_t rows = std::min(needed, order.rows);
    if (rows == 0) {
        return;
    }
    if (needed < d_p.block_spectra) { // none before these is
        d_kernel->reset();
    }
    const std::size_t first = order.rows - rows;
    const std::size_t row_bytes =
        d_p.points() * kernels::component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
    if (order.delays) {
        d_kernel->steer(order.delays.steering(first, frequency));
    }
    d_kernel->process(static_cast<const char*>(in) + first * row_bytes,
                      d_p.block_spectra * d_p.points(),
                      rows * d_p.points(),
                      out,
                      ignored);
}

} // namespace gr::fringe
