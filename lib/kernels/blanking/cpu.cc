/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/simd.h"
#include "kernels/base/sorted_values.h"
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

// Adds powers of some samples of an input to the sums. Returns a bit for each 64 of them, 1 where
// one is too large.
template <class T, std::size_t Parts>
__attribute__((always_inline)) inline unsigned add_powers(
    const T* x, std::size_t count, float limit, float scale, float* __restrict sums)
{
    unsigned groups = 0;
    for (std::size_t first = 0; first < count; first += 64) {
        const std::size_t end = std::min(first + 64, count);
        int above = 0;
        for (std::size_t n = first; n < end; n++) {
            float power;
            if constexpr (std::is_same_v<T, std::int8_t>) { // exact: at most 2^15
                int sum = x[Parts * n] * x[Parts * n];
                if constexpr (Parts == 2) {
                    sum += x[2 * n + 1] * x[2 * n + 1];
                }
                power = static_cast<float>(sum);
            } else {
                const auto re = static_cast<float>(x[Parts * n]);
                power = re * re;
                if constexpr (Parts == 2) {
                    const auto im = static_cast<float>(x[2 * n + 1]);
                    power += im * im;
                }
            }
            sums[n] += scale * power;
            above |= power > limit;
        }
        groups |= unsigned(above != 0) << first / 64;
    }
    return groups;
}

} // namespace

#define FRINGE_BLANKING_LOOPS(NAME, T, PARTS)                                            \
    FRINGE_SIMD static void cells_##NAME(const T* x, std::size_t cells, double* powers)  \
    {                                                                                    \
        sum_cells<T, PARTS>(x, cells, powers);                                           \
    }                                                                                    \
    FRINGE_SIMD static unsigned powers_##NAME(                                           \
        const T* x, std::size_t count, float limit, float scale, float* sums)            \
    {                                                                                    \
        return add_powers<T, PARTS>(x, count, limit, scale, sums);                       \
    }

FRINGE_BLANKING_LOOPS(i8, std::int8_t, 1)
FRINGE_BLANKING_LOOPS(i8_complex, std::int8_t, 2)
FRINGE_BLANKING_LOOPS(i16, std::int16_t, 1)
FRINGE_BLANKING_LOOPS(i16_complex, std::int16_t, 2)
FRINGE_BLANKING_LOOPS(f32, float, 1)
FRINGE_BLANKING_LOOPS(f32_complex, float, 2)

#undef FRINGE_BLANKING_LOOPS

// The same for sums.
FRINGE_SIMD static unsigned above_of_sums(const float* x, std::size_t count, float limit)
{
    unsigned groups = 0;
    for (std::size_t first = 0; first < count; first += 64) {
        const std::size_t end = std::min(first + 64, count);
        int above = 0;
        for (std::size_t n = first; n < end; n++) {
            above |= x[n] > limit;
        }
        groups |= unsigned(above != 0) << first / 64;
    }
    return groups;
}

FRINGE_SIMD static void
add_cells(const double* powers, double factor, double* __restrict sums, std::size_t count)
{
    for (std::size_t k = 0; k < count; k++) {
        sums[k] += factor * powers[k];
    }
}

namespace {

template <class T>
struct loops {
    void (*cells)(const T*, std::size_t, double*);
    unsigned (*powers)(const T*, std::size_t, float, float, float*);
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

class vector_loops
{
public:
    template <class T>
    struct of_type : loops<T> {
        explicit of_type(bool is_complex) : loops<T>(loops_of(T(), is_complex)) {}
    };

    void quartiles(const float* values, std::size_t count, cell_levels& l)
    {
        float found[3];
        const std::size_t last = count - 1;
        d_sorted.find(values, count, {last / 4, last / 2, 3 * last / 4}, found);
        l.low = found[0];
        l.median = found[1];
        l.high = found[2];
    }
    static void add(const double* powers, double factor, double* sums, std::size_t count)
    {
        add_cells(powers, factor, sums, count);
    }

private:
    sorted_values d_sorted;
};

template <class T>
class cpu_blanking : public searched_voltages<T, vector_loops>
{
public:
    using searched_voltages<T, vector_loops>::searched_voltages;
    using searched_voltages<T, vector_loops>::d_loops;
    using held_voltages<T>::d_p;
    using held_voltages<T>::d_parts;
    using held_voltages<T>::d_held;

    std::vector<found_samples> find(const sample_windows& in,
                                    const std::vector<blanking_limits>& limits) override
    {
        check_windows(d_held, in);
        check_limits(d_p, in, limits);
        std::vector<std::vector<found_samples>> found(d_p.inputs + 1);
        alignas(64) float sums[piece];
        for (std::size_t w = 0; w < in.windows(); w++) {
            for (std::size_t at = 0; at < in.samples(w); at += piece) {
                const std::size_t some = std::min(piece, in.samples(w) - at);
                const std::size_t first = in.begin(w) + at;
                const blanking_limits& l = limits[w];
                std::fill_n(sums, some, 0.0f);
                for (std::size_t i = 0; i < d_p.inputs; i++) {
                    const T* const x = this->samples_of(i, first);
                    const unsigned above =
                        d_loops.powers(x, some, l.power[i], l.scale[i], sums);
                    mark(above, i, first, some, found[i], [&](std::size_t n) {
                        return power(x + n * d_parts) > l.power[i];
                    });
                }
                const unsigned above = above_of_sums(sums, some, l.sum);
                mark(above, d_p.inputs, first, some, found.back(), [&](std::size_t n) {
                    return sums[n] > l.sum;
                });
            }
        }
        for (std::size_t i = 1; i < found.size(); i++) {
            found[0].insert(found[0].end(), found[i].begin(), found[i].end());
        }
        return std::move(found[0]);
    }

private:
    float power(const T* x) const
    {
        const auto re = static_cast<float>(x[0]);
        const auto im = d_parts == 2 ? static_cast<float>(x[1]) : 0.0f;
        return re * re + im * im;
    }

    // In those groups of 64 samples that have one.
    template <class Above>
    static void mark(unsigned groups,
                     std::size_t input,
                     std::size_t first,
                     std::size_t count,
                     std::vector<found_samples>& found,
                     const Above& above)
    {
        for (; groups; groups &= groups - 1) {
            const auto at = 64 * static_cast<std::size_t>(__builtin_ctz(groups));
            std::uint64_t bits = 0;
            for (std::size_t n = at; n < std::min(at + 64, count); n++) {
                bits |= std::uint64_t(above(n)) << (n - at);
            }
            found.push_back({static_cast<std::uint32_t>(input),
                             static_cast<std::uint32_t>(first + at),
                             bits});
        }
    }
};

} // namespace

std::unique_ptr<blanking> make_cpu_blanking(const blanking_params& p)
{
    return make_of_component<cpu_blanking>(p);
}

} // namespace gr::fringe::kernels
