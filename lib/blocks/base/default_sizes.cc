/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The sizes of items that a block takes where none is given.

#include "blocks/base/block_checks.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <climits>
#include <gnuradio/fringe/xengine.h>
#include <numeric>

namespace gr::fringe {

std::size_t channels_per_item(std::size_t inputs, std::size_t channels)
{
    return channels_per_item_of_products(kernels::baselines(inputs), channels);
}

std::size_t channels_per_item_of_products(std::size_t products, std::size_t channels)
{
    constexpr std::size_t largest_item = std::size_t(16) << 20;
    constexpr std::size_t largest_ring = std::size_t(128) << 20;
    std::size_t best = 1;
    for (std::size_t n = 1; n <= channels; ++n) {
        // Blocks refuse dumps of 0 products, in a sentence of their own.
        const std::size_t item = std::max<std::size_t>(8 * products * n, 1);
        if (channels % n == 0 && item <= largest_item &&
            ring_items(item) * item <= largest_ring) {
            best = n;
        }
    }
    return best;
}

std::size_t block_spectra(std::size_t inputs, std::size_t channels)
{
    // Half a megabyte: what one stage has written is still in the second-level cache when
    // the next one reads it; twice that from 16 inputs on. The number of threads does not
    // count: how sums of floats are rounded depends on the size of a block. In fours, for the
    // vectors of corner turns and X-engine; the products of many inputs want more spectra
    // together.
    const std::size_t target = std::size_t(inputs < 16 ? 1 : 2) << 19;
    const std::size_t values = std::max<std::size_t>(inputs * channels, 1);
    std::size_t few = 4;
    for (const std::size_t n : {64, 32, 16}) {
        if (inputs > 64 && 8 * values * n <= 16 * target) {
            few = n;
            break;
        }
    }
    // Multiples that make items of whole kilobytes, so that rings need no odd number of
    // them.
    const std::size_t even = std::max(few, 1024 / std::gcd<std::size_t>(values, 1024));
    const std::size_t step = 8 * values * even <= 4 * target ? even : few;
    const std::size_t n = target / (8 * values) / step * step;
    return std::clamp<std::size_t>(n, step, 4096);
}

std::size_t gpu_block_spectra(std::size_t inputs, std::size_t channels)
{
    // This many samples fill a GPU, and the host's work on a block is done while one crosses
    // to it. Tensor cores take spectra by the 128. Of large arrays twice as many fill a GPU
    // (98 % of the link at 512 x 1280, 89 % with 128), where items of floats stay below GNU
    // Radio's 2 GB.
    const std::size_t samples = std::size_t(1) << (inputs < 16 ? 22 : 23);
    const std::size_t values = std::max<std::size_t>(inputs * channels, 1);
    std::size_t least = inputs >= 256 && 8 * values * 256 <= INT_MAX ? 2 : 1;
    // Up to 64 inputs the sums of all baselines cross the memory once a block, as long as 400
    // spectra take: so many channels have up to 512 spectra, but no more than 2^25 samples.
    if (inputs >= 16 && inputs <= 64) {
        const std::size_t maximum = std::size_t(1) << 25;
        least =
            std::clamp<std::size_t>((maximum + values * 128 - 1) / (values * 128), 1, 4);
    }
    return std::clamp<std::size_t>(samples / values / 128, least, 32) * 128;
}

} // namespace gr::fringe
