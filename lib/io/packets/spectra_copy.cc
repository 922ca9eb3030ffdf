/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spectra_copy.h"
#include "kernels/base/stream_copy.h"

namespace gr::fringe::io {

namespace {

constexpr std::size_t two = 2; // streams

} // namespace

spectra_copy::spectra_copy(const packet_layout& layout, std::size_t parts)
    : d_layout(layout),
      d_inputs(parts / layout.channel_blocks() * layout.streams),
      d_value_bytes(layout.wire->bits / 8),
      d_zeros(layout.payload_bytes(), layout.wire->name == "cvdif4" ? 0x88 : 0)
{
    std::vector<std::size_t> place(layout.streams);
    std::size_t station_step = 0, pol_step = 0, pols = 1, step = 1;
    for (auto extent = layout.axes.rbegin(); extent != layout.axes.rend(); ++extent) {
        switch (extent->axis) {
        case payload_axis::time:
            d_time_step = step;
            break;
        case payload_axis::channel:
            d_channel_step = step;
            break;
        case payload_axis::station:
            station_step = step;
            break;
        case payload_axis::polarization:
            pol_step = step;
            pols = extent->size;
            break;
        }
        step *= extent->size;
    }
    for (std::size_t i = 0; i < place.size(); ++i) {
        place[i] = i / pols * station_step + i % pols * pol_step;
    }
    // Inputs that lie behind each other in a payload are copied together.
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (i == 0 || place[i] != place[i - 1] + 1) {
            d_runs.push_back({i, place[i], 0});
        }
        ++d_runs.back().count;
    }
    d_code.offset_binary = layout.wire->name == "cvdif4";
    d_code.high_real = !d_code.offset_binary;
    d_in_turn = d_runs.size() == 1 && layout.streams == two && d_time_step == two;
}

void spectra_copy::begin(std::uint8_t* item, std::size_t block, std::size_t part)
{
    const std::size_t blocks = d_layout.channel_blocks();
    const std::size_t channel = part % blocks * d_layout.channels,
                      input = part / blocks * d_layout.streams;
    d_out = reinterpret_cast<int8_pair*>(item) + (channel * d_inputs + input) * block;
    d_block = block;
    d_written = d_waiting = 0;
}

void spectra_copy::add(const std::uint8_t* payload, std::size_t from, std::size_t count)
{
    if (d_in_turn && payload) {
        write();
        divide(payload + from * d_time_step * d_value_bytes, count);
        return;
    }
    for (std::size_t t = from; t < from + count; ++t) {
        if (d_waiting == together) {
            write();
        }
        d_spectra[d_waiting++] =
            payload ? payload + t * d_time_step * d_value_bytes : d_zeros.data();
    }
}

// Two inputs whose values lie in turn behind each other.
void spectra_copy::divide(const std::uint8_t* from, std::size_t count)
{
    for (std::size_t c = 0; c < d_layout.channels; ++c) {
        const std::uint8_t* in = from + c * d_channel_step * d_value_bytes;
        int8_pair* out = d_out + c * d_inputs * d_block + d_written;
        for (std::size_t t = 0; t < count; t += row_values) {
            const std::size_t n = std::min(count - t, row_values);
            if (d_value_bytes == 1) {
                divide_nibbles(in + t * two, n, d_code, d_panel.data(), row_values);
            } else {
                divide_pairs(in + t * two * 2, n, d_panel.data(), row_values);
            }
            write_panel(out + t, two, n, row_values);
        }
    }
    d_written += count;
}

void spectra_copy::write()
{
    const std::size_t maximum = d_panel.size() / together; // rows
    for (std::size_t c = 0; d_waiting > 0 && c < d_layout.channels; ++c) {
        for (const run& r : d_runs) {
            for (std::size_t k = 0; k < r.count; k += maximum) {
                const std::size_t rows = std::min(r.count - k, maximum);
                const std::size_t at = (c * d_channel_step + r.place + k) * d_value_bytes;
                if (d_value_bytes == 1) {
                    turn_back_nibbles(d_spectra.data(),
                                      at,
                                      rows,
                                      d_waiting,
                                      d_code,
                                      d_panel.data(),
                                      together);
                } else {
                    turn_back_pairs(
                        d_spectra.data(), at, rows, d_waiting, d_panel.data(), together);
                }
                write_panel(d_out + (c * d_inputs + r.first + k) * d_block + d_written,
                            rows,
                            d_waiting,
                            together);
            }
        }
    }
    d_written += d_waiting;
    d_waiting = 0;
}

// Rows that have been put in order go past the cache to their places in the item.
void spectra_copy::write_panel(int8_pair* out,
                               std::size_t rows,
                               std::size_t times,
                               std::size_t step) const
{
    for (std::size_t r = 0; r < rows; ++r) {
        kernels::stream_copy(
            reinterpret_cast<std::uint8_t*>(out + r * d_block),
            reinterpret_cast<const std::uint8_t*>(d_panel.data() + r * step),
            times * sizeof(int8_pair));
    }
}

void spectra_copy::end()
{
    write();
    kernels::stream_fence();
}

} // namespace gr::fringe::io
