/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/kurtosis/backends.h"
#include "kernels/simd.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

typedef std::int8_t bytes16 __attribute__((vector_size(16)));
typedef std::int16_t words __attribute__((vector_size(32)));
typedef std::int32_t ints __attribute__((vector_size(32)));

constexpr std::size_t group = 8; // rows whose lanes are added up together

// Lane k of `out` is the sum of the lanes of rows[k].
__attribute__((always_inline)) inline void sum_lanes(const floats rows[group],
                                                     floats& out)
{
    floats pair[4], four[2];
    for (int k = 0; k < 4; k++) {
        const floats &a = rows[2 * k], &b = rows[2 * k + 1];
        pair[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; k++) {
        const floats &a = pair[2 * k], &b = pair[2 * k + 1];
        four[k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    out = __builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11) +
          __builtin_shufflevector(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

// What the vectors of a row leave over.
template <class T>
__attribute__((always_inline)) inline void
add_rest(const T* x, std::size_t from, std::size_t count, floats& a, floats& b)
{
    for (std::size_t t = from; t < count; t++) {
        const float re = static_cast<float>(x[2 * t]);
        const float im = static_cast<float>(x[2 * t + 1]);
        const float power = re * re + im * im;
        a[0] += power;
        b[0] += power * power;
    }
}

// One row: lanes of a and b add up to its S1 and S2. Copies what it reads.
__attribute__((always_inline)) inline void
add_row(const float* x, std::size_t count, float* copy, floats& a, floats& b)
{
    a = b = floats{};
    std::size_t t = 0;
    for (; t + 4 <= count; t += 4) {
        floats v;
        load(v, x + 2 * t);
        if (copy) {
            store(v, copy + 2 * t);
        }
        v *= v;
        a += v;
        v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
        b += v * v; // every power twice
    }
    b *= 0.5f;
    add_rest(x, t, count, a, b);
    if (copy) {
        std::copy(x + 2 * t, x + 2 * count, copy + 2 * t);
    }
}

__attribute__((always_inline)) inline void
add_row(const std::int8_t* x, std::size_t count, std::int8_t* copy, floats& a, floats& b)
{
    ints sum = {};
    b = floats{};
    std::size_t t = 0;
    for (; t + 8 <= count; t += 8) {
        bytes16 v;
        std::memcpy(&v, x + 2 * t, sizeof(v));
        if (copy) {
            std::memcpy(copy + 2 * t, &v, sizeof(v));
        }
        // Squares fit into 16 bits, and pairs of them are added up as halves of 32.
        words squares = __builtin_convertvector(v, words);
        squares *= squares;
        ints both;
        std::memcpy(&both, &squares, sizeof(both));
        const ints power = (both & 0xffff) + (both >> 16);
        sum += power;
        const floats f = __builtin_convertvector(power, floats);
        b += f * f;
    }
    a = __builtin_convertvector(sum, floats);
    add_rest(x, t, count, a, b);
    if (copy) {
        std::copy(x + 2 * t, x + 2 * count, copy + 2 * t);
    }
}

// Adds to s1 and s2 [row] the sums of rows that are `stride` components apart.
template <class T>
__attribute__((always_inline)) inline void add_rows(const T* x,
                                                    std::size_t rows,
                                                    std::size_t stride,
                                                    std::size_t count,
                                                    T* copy,
                                                    float* s1,
                                                    float* s2)
{
    for (std::size_t row = 0; row < rows; row += group) {
        floats a[group] = {}, b[group] = {};
        const std::size_t some = std::min(group, rows - row);
        for (std::size_t k = 0; k < some; k++) {
            const std::size_t at = (row + k) * stride;
            add_row(x + at, count, copy ? copy + at : nullptr, a[k], b[k]);
            if (copy) {
                std::copy(x + at + 2 * count, x + at + stride, copy + at + 2 * count);
            }
        }
        floats now, sum;
        load(now, s1 + row);
        sum_lanes(a, sum);
        store(now + sum, s1 + row);
        load(now, s2 + row);
        sum_lanes(b, sum);
        store(now + sum, s2 + row);
    }
}

} // namespace

FRINGE_SIMD static void add_f32(const void* x,
                                std::size_t rows,
                                std::size_t stride,
                                std::size_t count,
                                void* copy,
                                float* s1,
                                float* s2)
{
    add_rows(static_cast<const float*>(x),
             rows,
             stride,
             count,
             static_cast<float*>(copy),
             s1,
             s2);
}

FRINGE_SIMD static void add_i8(const void* x,
                               std::size_t rows,
                               std::size_t stride,
                               std::size_t count,
                               void* copy,
                               float* s1,
                               float* s2)
{
    add_rows(static_cast<const std::int8_t*>(x),
             rows,
             stride,
             count,
             static_cast<std::int8_t*>(copy),
             s1,
             s2);
}

namespace {

class cpu_kurtosis : public kurtosis
{
public:
    explicit cpu_kurtosis(const kurtosis_params& p)
        : d_p(p),
          d_rows(p.channels * p.inputs),
          d_add(p.in == component::i8 ? add_i8 : add_f32),
          d_s1((d_rows + group - 1) / group * group),
          d_s2(d_s1.size())
    {
    }

    void add(const void* spectra, std::size_t count, void* copy) override
    {
        check_spectra(d_p, count);
        d_add(spectra,
              d_rows,
              2 * d_p.block_spectra,
              count,
              copy,
              d_s1.data(),
              d_s2.data());
    }

    void read(float* s1, float* s2) const override
    {
        std::copy_n(d_s1.begin(), d_rows, s1);
        std::copy_n(d_s2.begin(), d_rows, s2);
    }

    void clear() override
    {
        std::fill(d_s1.begin(), d_s1.end(), 0.0f);
        std::fill(d_s2.begin(), d_s2.end(), 0.0f);
    }

    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        zero_rows(d_p, blocks, cells);
    }

private:
    const kurtosis_params d_p;
    const std::size_t d_rows;
    void (*const d_add)(
        const void*, std::size_t, std::size_t, std::size_t, void*, float*, float*);
    aligned_vector<float> d_s1, d_s2; // [channel][input], whole groups of rows
};

} // namespace

std::unique_ptr<kurtosis> make_cpu_kurtosis(const kurtosis_params& p)
{
    return std::make_unique<cpu_kurtosis>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
