/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/filter_rows.h"
#include "kernels/base/simd.h"
#include "kernels/channelizer/butterflies.h"
#include <cstdint>
#include <cstring>
#include <limits>

namespace gr::fringe::kernels {

namespace {

template <class V>
constexpr std::size_t lanes = sizeof(V) / sizeof(float);

// Each of half a vector twice. Not every compiler is asked for all sizes of vectors.
[[maybe_unused]] FRINGE_INLINE void twice(const float* from, wide_floats& to)
{
    floats h;
    load(h, from);
    to = __builtin_shufflevector(h, h, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
}
[[maybe_unused]] FRINGE_INLINE void twice(const float* from, floats& to)
{
    narrow_floats h;
    load(h, from);
    to = __builtin_shufflevector(h, h, 0, 0, 1, 1, 2, 2, 3, 3);
}
FRINGE_INLINE void twice(const float* from, narrow_floats& to)
{
    to = narrow_floats{from[0], from[0], from[1], from[1]};
}

// Adds `taps` taps from `first` on of `vectors` vectors of columns to the sums of `spectra`
// windows. A sample serves all of the taps while it is in a register.
template <class V, bool complex_samples, int taps, int spectra, int vectors>
FRINGE_INLINE void
add_taps(const row_filter& f, std::size_t first, std::size_t n, V (*sums)[vectors])
{
    const float* const* const rows = f.rows + first;
    const float* const h = f.h + first * f.points + (complex_samples ? n / 2 : n);
    V c[taps][vectors];
#pragma GCC unroll 16
    for (int t = 0; t < taps; t++) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) {
            if (complex_samples) {
                twice(h + t * f.points + v * lanes<V> / 2, c[t][v]);
            } else {
                load(c[t][v], h + t * f.points + v * lanes<V>);
            }
        }
    }
#pragma GCC unroll 16
    for (int row = 0; row < taps - 1 + spectra; row++) {
        V x[vectors];
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) {
            load(x[v], rows[row] + n + v * lanes<V>);
        }
#pragma GCC unroll 16
        for (int t = 0; t < taps; t++) {
            const int s = row - t;
            if (s >= 0 && s < spectra) {
#pragma GCC unroll 16
                for (int v = 0; v < vectors; v++) {
                    sums[s][v] += c[t][v] * x[v];
                }
            }
        }
    }
}

//! The bits of the imaginary parts' sign: a multiplication would be slow once more where
//! numbers are very small.
template <class V>
FRINGE_INLINE void change_signs(V& x)
{
    std::int32_t bits[lanes<V>];
    std::memcpy(bits, &x, sizeof(x));
    for (std::size_t k = 1; k < lanes<V>; k += 2) {
        bits[k] ^= std::numeric_limits<std::int32_t>::min();
    }
    std::memcpy(&x, bits, sizeof(x));
}

//! The sums of one window.
template <bool apart, class V, int vectors>
FRINGE_INLINE void store_sums(const V (&sums)[vectors], float* to)
{
    if constexpr (apart && vectors % 2 == 0) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v += 2) {
            butterflies::lanes16 x;
            butterflies::separate(sums[v], sums[v + 1], x);
            butterflies::store_apart(x, to + v * lanes<V>);
        }
    } else {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) {
            store(sums[v], to + v * lanes<V>);
        }
    }
}

//! Columns from n on, `vectors` vectors side by side while there are whole ones. Returns where
//! it ends.
template <class V,
          bool complex_samples,
          bool apart,
          int spectra,
          int vectors,
          bool one_tap = false>
FRINGE_INLINE std::size_t filter_vectors(const row_filter& f, std::size_t n)
{
    constexpr int chunk = 4; // of taps: with the sums they fill the registers
    const std::size_t width = f.points * (complex_samples ? 2 : 1);
    for (; n + vectors * lanes<V> <= width; n += vectors * lanes<V>) {
        V sums[spectra][vectors];
#pragma GCC unroll 16
        for (int s = 0; s < spectra; s++) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++) {
                sums[s][v] = V{};
            }
        }
        std::size_t t = 0;
        for (; !one_tap && t + chunk <= f.taps; t += chunk) {
            add_taps<V, complex_samples, chunk, spectra>(f, t, n, sums);
        }
        for (; !one_tap && t + 2 <= f.taps; t += 2) {
            add_taps<V, complex_samples, 2, spectra>(f, t, n, sums);
        }
        if (one_tap || t < f.taps) {
            add_taps<V, complex_samples, 1, spectra>(f, t, n, sums);
        }
#pragma GCC unroll 16
        for (int s = 0; s < spectra; s++) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++) {
                if (complex_samples && f.conjugated) {
                    change_signs(sums[s][v]);
                }
            }
            store_sums<apart>(sums[s], f.out + s * f.stride + n);
        }
    }
    return n;
}

template <class V, bool complex_samples, bool apart, int spectra>
FRINGE_INLINE void filter_columns(const row_filter& f)
{
    constexpr int vectors = spectra == 1 ? 4 : sizeof(V) == 64 ? 2 : 1;
    const std::size_t width = f.points * (complex_samples ? 2 : 1);
    std::size_t n =
        spectra == 1 && f.taps == 1
            ? filter_vectors<V, complex_samples, apart, spectra, vectors, true>(f, 0)
            : filter_vectors<V, complex_samples, apart, spectra, vectors>(f, 0);
    if (vectors > 1) {
        n = filter_vectors<V, complex_samples, false, spectra, 1>(f, n);
    }
    for (; n < width; n++) {
        const float sign = complex_samples && f.conjugated && n % 2 ? -1 : 1;
        const float* const h = f.h + (complex_samples ? n / 2 : n);
#pragma GCC unroll 16
        for (int s = 0; s < spectra; s++) {
            float sum = 0;
            for (std::size_t t = 0; t < f.taps; t++) {
                sum += h[t * f.points] * f.rows[s + t][n];
            }
            f.out[s * f.stride + n] = sign * sum;
        }
    }
}

template <class V, bool complex_samples, bool apart>
FRINGE_INLINE void filter_windows(row_filter f)
{
    for (; f.spectra >= filter_together; f.spectra -= filter_together) {
        filter_columns<V, complex_samples, apart, filter_together>(f);
        f.rows += filter_together;
        f.out += filter_together * f.stride;
    }
    for (; f.spectra > 0; f.spectra--) {
        filter_columns<V, complex_samples, apart, 1>(f);
        f.rows++;
        f.out += f.stride;
    }
}

template <class V, bool apart = false>
FRINGE_INLINE void filter(const row_filter& f)
{
    if (f.complex_samples) {
        filter_windows<V, true, apart>(f);
    } else {
        filter_windows<V, false, apart>(f);
    }
}

#ifdef FRINGE_SIMD_512
FRINGE_SIMD_512 void filter_all(const row_filter& f)
{
    if (f.apart) {
        filter<wide_floats, true>(f);
    } else {
        filter<wide_floats>(f);
    }
}
FRINGE_SIMD_256 void filter_all(const row_filter& f) { filter<floats>(f); }
#endif
FRINGE_SIMD_128 void filter_all(const row_filter& f) { filter<narrow_floats>(f); }

} // namespace

void filter_rows(const row_filter& f) { filter_all(f); }

} // namespace gr::fringe::kernels
