/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/window_sums.h"
#include <chrono>
#include <thread>

namespace gr::fringe {

window_sums::window_sums(const std::shared_ptr<kernels::device>& on,
                         const kernels::compute_target& backend,
                         const kernels::kurtosis_params& p,
                         std::size_t maximum)
    : d_backend(backend),
      d_p(p),
      d_cells(p.channels * p.inputs),
      d_kernel(kernels::make_kurtosis(backend, p))
{
    for (std::size_t n = 0; n < (on ? maximum : 1); ++n) {
        d_slots.emplace_back(on, 2 * d_cells);
    }
}

void window_sums::set_layout(kernels::spectra_layout layout)
{
    if (layout != d_p.layout) {
        d_p.layout = layout;
        d_kernel = kernels::make_kurtosis(d_backend, d_p);
    }
}

void window_sums::end_window()
{
    auto& s = d_slots[d_ended % d_slots.size()];
    d_kernel->read(s.there(), s.there() + d_cells);
    s.download(s.size());
    d_kernel->clear();
    ++d_ended;
}

bool window_sums::arrived_after(bool pause) const
{
    const auto arrived = [this] {
        return d_ended > d_taken && d_slots[d_taken % d_slots.size()].arrived();
    };
    if (pause && !arrived()) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return arrived();
}

window_sums::sums window_sums::take()
{
    const auto& s = d_slots[d_taken % d_slots.size()];
    s.wait();
    ++d_taken;
    return {s.here(), s.here() + d_cells};
}

void window_sums::clear()
{
    d_kernel->clear();
    d_taken = d_ended;
}

} // namespace gr::fringe
