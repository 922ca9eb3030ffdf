/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/unpack/saturation.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

// Samples looked at together: most such runs have none to count.
constexpr std::size_t run = 512;

// |x| as an unsigned number that is larger for a larger |x|. A float's is its bits.
__attribute__((always_inline)) inline std::uint8_t magnitude(std::int8_t x)
{
    return static_cast<std::uint8_t>(x < 0 ? -x : x);
}
__attribute__((always_inline)) inline std::uint16_t magnitude(std::int16_t x)
{
    return static_cast<std::uint16_t>(x < 0 ? -x : x);
}
__attribute__((always_inline)) inline std::uint32_t magnitude(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits & 0x7fffffff;
}

// Of `count` samples. Plain loops over numbers as wide as the components (Mark) or the
// complex samples (Pair), so that they become vectors.
template <class T, class Mark, class Pair>
__attribute__((always_inline)) inline std::uint64_t
count_run(const void* row, std::size_t first, std::size_t count, bool pairs, float rail)
{
    const Mark maximum = magnitude(static_cast<T>(rail));
    const std::size_t components = pairs ? 2 * count : count;
    const T* x = static_cast<const T*>(row) + (pairs ? 2 * first : first);
    Mark largest = 0;
    for (std::size_t n = 0; n < components; n++) {
        largest = std::max(largest, magnitude(x[n]));
    }
    if (largest < maximum) {
        return 0;
    }
    Mark marks[2 * run];
    for (std::size_t n = 0; n < components; n++) {
        marks[n] = magnitude(x[n]) >= maximum;
    }
    Pair sum = 0;
    for (std::size_t n = 0; pairs && n < count; n++) {
        Pair pair;
        std::memcpy(&pair, marks + 2 * n, sizeof(pair));
        sum = static_cast<Pair>(sum + (pair != 0));
    }
    for (std::size_t n = 0; !pairs && n < count; n++) {
        sum = static_cast<Pair>(sum + marks[n]);
    }
    return sum;
}

} // namespace

FRINGE_SIMD static std::uint64_t
count_i8(const void* row, std::size_t first, std::size_t count, bool pairs, float rail)
{
    return count_run<std::int8_t, std::uint8_t, std::uint16_t>(
        row, first, count, pairs, rail);
}
FRINGE_SIMD static std::uint64_t
count_i16(const void* row, std::size_t first, std::size_t count, bool pairs, float rail)
{
    return count_run<std::int16_t, std::uint16_t, std::uint32_t>(
        row, first, count, pairs, rail);
}
FRINGE_SIMD static std::uint64_t
count_f32(const void* row, std::size_t first, std::size_t count, bool pairs, float rail)
{
    return count_run<float, std::uint32_t, std::uint64_t>(row, first, count, pairs, rail);
}

std::uint64_t
saturated(const encoding& e, component c, const void* row, std::size_t samples)
{
    if (e.rail <= 0) {
        return 0;
    }
    const auto count = c == component::i8    ? count_i8
                       : c == component::i16 ? count_i16
                                             : count_f32;
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < samples; t += run) {
        sum += count(row, t, std::min(run, samples - t), e.is_complex, e.rail);
    }
    return sum;
}

} // namespace gr::fringe::kernels
