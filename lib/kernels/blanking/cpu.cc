/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/simd.h"
#include "kernels/blanking/held_voltages.h"
#include <algorithm>
#include <type_traits>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t piece = 512; // samples at a time: their powers stay in the cache

// Exact for integers; the order does not matter then.
template <class T>
using cell_sum = std::conditional_t<
    std::is_same_v<T, std::int8_t>,
    std::int32_t,
    std::conditional_t<std::is_same_v<T, float>, double, std::int64_t>>;

template <class T, std::size_t Parts>
__attribute__((always_inline)) inline void
sum_cells(const T* x, std::size_t cells, double* powers)
{
    for (std::size_t k = 0; k < cells; k++, x += Parts * blanking::cell) {
        cell_sum<T> sum = 0;
        for (std::size_t n = 0; n < Parts * blanking::cell; n++) {
            const auto value = static_cast<cell_sum<T>>(x[n]);
            sum += value * value;
        }
        powers[k] = static_cast<double>(sum);
    }
}

// Powers of some samples of an input, and their share of the sums; whether one is too large.
template <class T, std::size_t Parts>
__attribute__((always_inline)) inline bool add_powers(const T* x,
                                                      std::size_t count,
                                                      float limit,
                                                      float scale,
                                                      float* __restrict powers,
                                                      float* __restrict sums)
{
    int above = 0;
    for (std::size_t n = 0; n < count; n++) {
        const auto re = static_cast<float>(x[Parts * n]);
        float power = re * re;
        if constexpr (Parts == 2) {
            const auto im = static_cast<float>(x[2 * n + 1]);
            power += im * im;
        }
        powers[n] = power;
        sums[n] += scale * power;
        above |= power > limit;
    }
    return above != 0;
}

} // namespace

#define FRINGE_BLANKING_LOOPS(NAME, T, PARTS)                                            \
    FRINGE_SIMD static void cells_##NAME(const T* x, std::size_t cells, double* powers)  \
    {                                                                                    \
        sum_cells<T, PARTS>(x, cells, powers);                                           \
    }                                                                                    \
    FRINGE_SIMD static bool powers_##NAME(const T* x,                                    \
                                          std::size_t count,                             \
                                          float limit,                                   \
                                          float scale,                                   \
                                          float* powers,                                 \
                                          float* sums)                                   \
    {                                                                                    \
        return add_powers<T, PARTS>(x, count, limit, scale, powers, sums);               \
    }

FRINGE_BLANKING_LOOPS(i8, std::int8_t, 1)
FRINGE_BLANKING_LOOPS(i8_complex, std::int8_t, 2)
FRINGE_BLANKING_LOOPS(i16, std::int16_t, 1)
FRINGE_BLANKING_LOOPS(i16_complex, std::int16_t, 2)
FRINGE_BLANKING_LOOPS(f32, float, 1)
FRINGE_BLANKING_LOOPS(f32_complex, float, 2)

#undef FRINGE_BLANKING_LOOPS

namespace {

template <class T>
struct loops {
    void (*cells)(const T*, std::size_t, double*);
    bool (*powers)(const T*, std::size_t, float, float, float*, float*);
};

loops<std::int8_t> loops_of(std::int8_t, bool is_complex)
{
    return is_complex ? loops<std::int8_t>{cells_i8_complex, powers_i8_complex}
                      : loops<std::int8_t>{cells_i8, powers_i8};
}
loops<std::int16_t> loops_of(std::int16_t, bool is_complex)
{
    return is_complex ? loops<std::int16_t>{cells_i16_complex, powers_i16_complex}
                      : loops<std::int16_t>{cells_i16, powers_i16};
}
loops<float> loops_of(float, bool is_complex)
{
    return is_complex ? loops<float>{cells_f32_complex, powers_f32_complex}
                      : loops<float>{cells_f32, powers_f32};
}

// Sets the bits of powers above a limit.
void mark(const float* powers, std::size_t count, float limit, std::uint64_t* bits)
{
    for (std::size_t n = 0; n < count; n++) {
        bits[n / 64] |= std::uint64_t(powers[n] > limit) << n % 64;
    }
}

template <class T>
class cpu_blanking : public held_voltages<T>
{
public:
    using held_voltages<T>::d_p;
    using held_voltages<T>::d_held;

    explicit cpu_blanking(const blanking_params& p)
        : held_voltages<T>(p), d_loops(loops_of(T(), p.complex_samples))
    {
    }

    void cell_powers(std::size_t first, std::size_t cells, double* powers) override
    {
        check_held(d_held, first, cells * blanking::cell);
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            d_loops.cells(this->samples_of(i, first), cells, powers + i * cells);
        }
    }

    std::vector<std::uint64_t>
    find(std::size_t first, std::size_t count, const blanking_limits& limits) override
    {
        check_held(d_held, first, count);
        check_limits(d_p, limits);
        const std::size_t words = (count + 63) / 64;
        std::vector<std::uint64_t> found((d_p.inputs + 1) * words);
        float powers[piece], sums[piece];
        for (std::size_t at = 0; at < count; at += piece) {
            const std::size_t some = std::min(piece, count - at);
            std::uint64_t* bits = found.data() + at / 64;
            std::fill_n(sums, some, 0.0f);
            for (std::size_t i = 0; i < d_p.inputs; i++, bits += words) {
                if (d_loops.powers(this->samples_of(i, first + at),
                                   some,
                                   limits.power[i],
                                   limits.scale[i],
                                   powers,
                                   sums)) {
                    mark(powers, some, limits.power[i], bits);
                }
            }
            mark(sums, some, limits.sum, bits);
        }
        return found;
    }

private:
    const loops<T> d_loops;
};

} // namespace

std::unique_ptr<blanking> make_cpu_blanking(const blanking_params& p)
{
    return make_of_component<cpu_blanking>(p);
}

} // namespace gr::fringe::kernels
