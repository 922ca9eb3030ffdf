/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/lanes_sums.h"

namespace gr::fringe::kernels {

namespace {

typedef std::int8_t sixteen_bytes __attribute__((vector_size(16)));

//! Eight channels of a spectrum to [re, im][channel].
FRINGE_INLINE void part(const float* from, float* to)
{
    floats low, high;
    load(low, from);
    load(high, from + lanes);
    store(__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14), to);
    store(__builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15), to + lanes);
}
FRINGE_INLINE void part(const std::int8_t* from, float* to)
{
    sixteen_bytes x;
    std::memcpy(&x, from, sizeof(x));
    floats re, im;
    widen(__builtin_shufflevector(x, x, 0, 2, 4, 6, 8, 10, 12, 14), re);
    widen(__builtin_shufflevector(x, x, 1, 3, 5, 7, 9, 11, 13, 15), im);
    store(re, to);
    store(im, to + lanes);
}

//! Spectra are block.apart values apart, channels follow one another, with what belongs to
//! none behind the last: that may be read.
template <std::size_t tall, class In, class Sum>
FRINGE_INLINE void add_spectra(const lanes_block<In>& block,
                               std::size_t inputs,
                               std::size_t count,
                               std::size_t channels,
                               Sum* sums)
{
    // So few that what is brought there stays in the first-level cache, enough for few additions
    // to the sums. With many inputs it does not, and the sums count.
    const std::size_t maximum = inputs <= max_whole_inputs ? 8 : 16;
    // A group of channels is a line of the cache of every spectrum; the others are to be
    // there still when their turn comes.
    constexpr std::size_t cached = 1 << 20;
    const std::size_t wanted =
        cached / (inputs * block.apart * sizeof(In)) / maximum * maximum;
    const std::size_t stretch =
        inputs <= max_whole_inputs ? std::max(wanted, maximum) : count;
    for (std::size_t begin = 0; begin < count; begin += stretch) {
        const auto stage = [&](
            std::size_t c, std::size_t i, std::size_t t, std::size_t n, float* to)
            __attribute__((always_inline))
        {
            const In* from =
                block.first + 2 * c + i * block.input + (begin + t) * block.apart;
            for (std::size_t s = 0; s < n; s++) {
                part(from + s * block.apart, to + 2 * lanes * s);
            }
        };
        add_groups<tall>(
            stage, maximum, inputs, std::min(stretch, count - begin), channels, sums);
    }
}

FRINGE_ADD_ALL(add_spectra)

} // namespace

void add_spectra_f32(const lanes_block<float>& block,
                     std::size_t inputs,
                     std::size_t count,
                     std::size_t channels,
                     float* sums)
{
    add_all(block, inputs, count, channels, sums);
}

void add_spectra_i8(const lanes_block<std::int8_t>& block,
                    std::size_t inputs,
                    std::size_t count,
                    std::size_t channels,
                    std::int32_t* sums)
{
    add_all(block, inputs, count, channels, sums);
}

} // namespace gr::fringe::kernels
