/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/history.h"
#include <algorithm>

namespace gr::fringe::kernels {

device_history::device_history(const cuda_context& c,
                               std::size_t inputs,
                               unsigned taps,
                               std::size_t row_bytes,
                               std::size_t max_shift_rows)
    : d_context(c),
      d_inputs(inputs),
      d_row_bytes(row_bytes),
      d_max_shift_rows(max_shift_rows),
      d_capacity(taps - 1 + 2 * max_shift_rows),
      // With a long max_shift_rows most of the rows stay from call to call.
      d_room(max_shift_rows > 0 ? 2 * d_capacity : d_capacity)
{
    for (auto& half : d_memory) {
        half = cuda_array<std::uint8_t>(c, inputs * d_room * row_bytes);
    }
    clear();
}

std::size_t device_history::spectra(std::size_t fresh) const
{
    const std::size_t total = d_rows + fresh;
    return total > d_capacity ? total - d_capacity : 0;
}

void device_history::pass(fir_call& f, std::size_t fresh)
{
    const auto row = [&](unsigned half, std::size_t r) -> std::uint8_t* {
        return d_memory[half].data() + r * d_row_bytes;
    };
    const std::size_t total = d_rows + fresh, kept = std::min(total, d_capacity);
    f.history = row(d_half, d_first);
    f.history_rows = static_cast<unsigned>(d_rows);
    f.history_pitch = d_room * d_row_bytes / component_bytes(f.type);
    f.max_shift_rows = static_cast<unsigned>(d_max_shift_rows);
    f.fresh_rows = static_cast<unsigned>(fresh);
    if (kept > fresh && d_first + total <= d_room) {
        f.next_history = row(d_half, d_first + d_rows);
        f.keep_from = static_cast<unsigned>(d_rows);
        f.keep_rows = static_cast<unsigned>(fresh);
        d_first += total - kept;
    } else {
        d_half = 1 - d_half;
        d_first = 0;
        f.next_history = row(d_half, 0);
        f.keep_from = static_cast<unsigned>(total - kept);
        f.keep_rows = static_cast<unsigned>(kept);
    }
    d_rows = kept;
}

void device_history::clear()
{
    d_first = 0;
    d_rows = d_max_shift_rows;
    if (d_max_shift_rows > 0) {
        d_context.use();
        check_cuda(cudaMemset2DAsync(d_memory[d_half].data(),
                                     d_room * d_row_bytes,
                                     0,
                                     d_max_shift_rows * d_row_bytes,
                                     d_inputs,
                                     d_context.compute),
                   "clearing samples");
    }
}

} // namespace gr::fringe::kernels
