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

using kernels::device_stream;

window_sums::window_sums(std::shared_ptr<kernels::device> on,
                         const kernels::compute_target& backend,
                         const kernels::kurtosis_params& p,
                         std::size_t maximum)
    : d_on(std::move(on)),
      d_backend(backend),
      d_p(p),
      d_cells(p.channels * p.inputs),
      d_kernel(kernels::make_kurtosis(backend, p)),
      d_slots(d_on ? maximum : 1)
{
    const std::size_t bytes = 2 * d_cells * sizeof(float);
    for (slot& s : d_slots) {
        if (!d_on) {
            s.host = {new float[2 * d_cells], std::default_delete<float[]>()};
            continue;
        }
        s.device = {static_cast<float*>(d_on->allocate(bytes)),
                    [on = d_on](float* p) { on->release(p); }};
        s.host = {static_cast<float*>(d_on->allocate_host(bytes)),
                  [on = d_on](float* p) { on->release_host(p); }};
        s.read = d_on->make_event();
        s.arrived = d_on->make_event();
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
    slot& s = d_slots[d_ended % d_slots.size()];
    if (d_on) {
        d_kernel->read(s.device.get(), s.device.get() + d_cells);
        s.read->record(device_stream::compute);
        s.read->make_wait(device_stream::d2h);
        d_on->download(s.host.get(), s.device.get(), 2 * d_cells * sizeof(float));
        s.arrived->record(device_stream::d2h);
    } else {
        d_kernel->read(s.host.get(), s.host.get() + d_cells);
    }
    d_kernel->clear();
    ++d_ended;
}

bool window_sums::arrived_after(bool pause) const
{
    const auto arrived = [this] {
        return d_ended > d_taken &&
               (!d_on || d_slots[d_taken % d_slots.size()].arrived->reached());
    };
    if (pause && !arrived()) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return arrived();
}

window_sums::sums window_sums::take()
{
    const slot& s = d_slots[d_taken % d_slots.size()];
    if (d_on) {
        s.arrived->wait();
    }
    ++d_taken;
    return {s.host.get(), s.host.get() + d_cells};
}

void window_sums::clear()
{
    d_kernel->clear();
    d_taken = d_ended;
}

} // namespace gr::fringe
