/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/xengine_sums.h"
#include <utility>

namespace gr::fringe {

namespace {

// In the layout in which spectra will come, if their source can send it.
kernels::xengine_params in_wanted_layout(const kernels::compute_target& backend,
                                         kernels::xengine_params p)
{
    p.layout = kernels::layout_of_items(backend, p);
    return p;
}

} // namespace

xengine_sums::xengine_sums(const kernels::compute_target& backend,
                           const kernels::xengine_params& p)
    : d_backend(backend),
      d_p(in_wanted_layout(backend, p)),
      d_kernel(kernels::make_xengine(backend, d_p)),
      d_sum(p.inputs)
{
}

void xengine_sums::set_layout(kernels::spectra_layout layout)
{
    if (layout != d_p.layout) {
        d_p.layout = layout;
        d_kernel.reset(); // a device may not have the memory for both
        d_kernel = kernels::make_xengine(d_backend, d_p);
    }
}

void xengine_sums::add(const void* spectra,
                       std::uint64_t first,
                       std::uint64_t count,
                       const std::vector<invalid_run>& invalid,
                       const std::vector<invalid_run>& blanked,
                       const std::vector<lost_spectra>& lost,
                       const std::vector<cell_run>& flagged)
{
    if (count > 0) {
        if (spectra && count == d_p.block_spectra && d_keeps > 1) {
            d_kept.push_back(spectra);
            if (d_kept.size() == d_keeps) {
                add_kept();
            }
        } else if (spectra) {
            d_kernel->accumulate(spectra, first, count);
        }
        d_sum.counts.add(invalid, first, count, blanked, d_parts ? &*d_parts : nullptr);
        d_sum.lost.add(lost, invalid, first, count);
        d_sum.flagged.add(flagged, count, d_sum.counts.last_lost());
    }
}

void xengine_sums::add_kept()
{
    if (!d_kept.empty()) {
        d_kernel->accumulate_blocks(std::exchange(d_kept, {}), d_p.block_spectra);
    }
}

void xengine_sums::clear()
{
    d_kept.clear();
    d_kernel->clear();
    d_sum.clear();
}

} // namespace gr::fringe
