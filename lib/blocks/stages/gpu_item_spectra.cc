/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "io/recordings/recording.h"
#include <gnuradio/fringe/file_source.h>

namespace gr::fringe {

std::size_t gpu_item_spectra(const std::string& format,
                             std::size_t inputs,
                             std::size_t points,
                             std::size_t block_spectra)
{
    // Copies of some megabytes keep the link busy. A ring of such items stays in the
    // third-level cache, and is registered in a few hundredths of a second.
    constexpr std::size_t too_large = 2 * large_item;
    constexpr std::size_t largest_ring = std::size_t(96) << 20;
    const kernels::encoding& encoding = io::encoding_by_name(format);
    for (std::size_t n = block_spectra; n > 0; --n) {
        const std::size_t bytes = encoding.bytes(inputs, n * points);
        const bool whole = block_spectra % n == 0 && n * points % 8 == 0;
        if (whole && bytes >= large_item && bytes < too_large &&
            bytes * ring_items(bytes, items_ahead(bytes)) <= largest_ring) {
            return n;
        }
    }
    return block_spectra;
}

} // namespace gr::fringe
