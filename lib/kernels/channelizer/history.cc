/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/history.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

sample_history::sample_history(std::size_t inputs,
                               unsigned taps,
                               std::size_t row_bytes,
                               std::size_t max_shift_rows)
    : d_inputs(inputs),
      d_max_shift_rows(max_shift_rows),
      d_capacity(taps - 1 + 2 * max_shift_rows),
      d_room(d_capacity + (max_shift_rows > 0 ? 1 : 0)),
      d_row_bytes(row_bytes),
      d_rows(max_shift_rows),
      d_data(inputs * d_room * row_bytes)
{
}

std::size_t sample_history::spectra(std::size_t fresh) const
{
    const std::size_t total = d_rows + fresh;
    return total > d_capacity ? total - d_capacity : 0;
}

void sample_history::join(const std::uint8_t* in,
                          std::size_t in_stride,
                          std::size_t fresh)
{
    const std::size_t bytes = std::min(fresh, d_room - d_capacity) * d_row_bytes;
    for (std::size_t i = 0; i < d_inputs && bytes > 0; i++) {
        std::memcpy(d_data.data() + (i * d_room + d_rows) * d_row_bytes,
                    in + i * in_stride,
                    bytes);
    }
}

void sample_history::keep(const std::uint8_t* in,
                          std::size_t in_stride,
                          std::size_t fresh)
{
    const std::size_t total = d_rows + fresh;
    const std::size_t kept = std::min(total, d_capacity);
    const std::size_t old = kept > fresh ? kept - fresh : 0;
    if (kept == 0 || fresh == 0) {
        return;
    }
    for (std::size_t i = 0; i < d_inputs; i++) {
        const auto rows = d_data.data() + i * d_room * d_row_bytes;
        std::memmove(rows, rows + (d_rows - old) * d_row_bytes, old * d_row_bytes);
        std::memcpy(rows + old * d_row_bytes,
                    in + i * in_stride + (fresh - (kept - old)) * d_row_bytes,
                    (kept - old) * d_row_bytes);
    }
    d_rows = kept;
}

void sample_history::clear()
{
    d_rows = d_max_shift_rows;
    for (std::size_t i = 0; i < d_inputs && d_max_shift_rows > 0; i++) {
        std::fill_n(
            d_data.begin() + i * d_room * d_row_bytes, d_max_shift_rows * d_row_bytes, 0);
    }
}

} // namespace gr::fringe::kernels
