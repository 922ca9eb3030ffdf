/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/samples_copy.h"
#include "kernels/base/stream_copy.h"

namespace gr::fringe::io {

void samples_copy::copy(std::uint8_t* item,
                        std::size_t block,
                        std::size_t part,
                        const sample_range& range,
                        const std::uint8_t* payload) const
{
    const wire_samples& wire = *d_layout.wire;
    for (std::size_t row = 0; row < rows(); ++row) {
        std::uint8_t* const to =
            item + part * part_bytes(block) + bytes((row * block + range.at) * wide());
        const std::size_t first = (row * d_layout.samples + range.from) * wide(),
                          count = range.count * wide();
        if (wire.convert) {
            wire.convert(payload, first, count, to);
        } else {
            kernels::stream_copy(to, payload + bytes(first), bytes(count));
        }
    }
}

void samples_copy::clear(std::uint8_t* item,
                         std::size_t block,
                         std::size_t part,
                         std::size_t at,
                         std::size_t count) const
{
    for (std::size_t row = 0; row < rows(); ++row) {
        std::memset(item + part * part_bytes(block) + bytes((row * block + at) * wide()),
                    0,
                    bytes(count * wide()));
    }
}

void samples_copy::copy_back(const std::uint8_t* item,
                             std::size_t block,
                             std::size_t part,
                             const sample_range& range,
                             std::uint8_t* payload) const
{
    for (std::size_t row = 0; row < rows(); ++row) {
        std::memcpy(payload + bytes((row * d_layout.samples + range.from) * wide()),
                    item + part * part_bytes(block) +
                        bytes((row * block + range.at) * wide()),
                    bytes(range.count * wide()));
    }
}

} // namespace gr::fringe::io
