/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/xengine_sums.h"

namespace gr::fringe {

xengine_sums::xengine_sums(const kernels::compute_target& backend,
                           const kernels::xengine_params& p)
    : d_backend(backend),
      d_p(p),
      d_kernel(kernels::make_xengine(backend, p)),
      d_sum(p.inputs),
      d_waiting(p.inputs, p.channels)
{
}

void xengine_sums::set_layout(kernels::spectra_layout layout)
{
    if (layout != d_p.layout) {
        d_p.layout = layout;
        d_kernel = kernels::make_xengine(d_backend, d_p);
    }
}

void xengine_sums::add(const void* spectra,
                       std::uint64_t first,
                       std::uint64_t count,
                       const std::vector<invalid_run>& invalid,
                       const std::vector<lost_spectra>& lost,
                       const std::vector<cell_run>& flagged)
{
    if (count > 0) {
        if (spectra) {
            d_kernel->accumulate(spectra, first, count);
        }
        d_sum.counts.add(invalid, first, count);
        d_sum.lost.add(lost, invalid, first, count);
        d_sum.flagged.add(flagged, count, d_sum.counts.last_invalid());
    }
}

bool xengine_sums::end()
{
    if (d_late && !empty()) {
        d_waiting.hold(d_sum, *d_kernel);
        d_sum.clear();
    }
    return !empty();
}

bool xengine_sums::decide(const std::vector<cell_run>& cells)
{
    const bool any_spectra = d_late || !cells.empty();
    if (any_spectra) {
        d_waiting.decide(cells, d_sum);
    }
    d_late = true;
    return any_spectra && any();
}

std::uint64_t xengine_sums::forget_undecided()
{
    const std::uint64_t spectra = d_sum.counts.spectra() + d_waiting.spectra();
    d_waiting.forget_all();
    d_kernel->clear();
    d_sum.clear();
    return spectra;
}

void xengine_sums::read_first(std::size_t first, std::size_t count, void* out)
{
    if (first_waited()) {
        d_waiting.read_first(first, count, out);
    } else {
        d_kernel->read(first, count, out);
    }
    d_waiting.drop(first, count, out);
}

void xengine_sums::drop_first()
{
    if (first_waited()) {
        d_waiting.forget_first();
    } else {
        d_kernel->clear();
        d_sum.clear();
    }
    if (!any()) {
        d_waiting.forget_decision();
    }
}

} // namespace gr::fringe
