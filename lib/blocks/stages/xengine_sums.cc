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
      d_sum(p.inputs)
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
                       const std::vector<invalid_run>& blanked,
                       const std::vector<lost_spectra>& lost,
                       const std::vector<cell_run>& flagged)
{
    if (count > 0) {
        if (spectra) {
            d_kernel->accumulate(spectra, first, count);
        }
        d_sum.counts.add(invalid, first, count, blanked, d_parts ? &*d_parts : nullptr);
        d_sum.lost.add(lost, invalid, first, count);
        d_sum.flagged.add(flagged, count, d_sum.counts.last_lost());
    }
}

void xengine_sums::clear()
{
    d_kernel->clear();
    d_sum.clear();
}

} // namespace gr::fringe
