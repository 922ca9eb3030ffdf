/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/sum_threshold.h"
#include "kernels/base/simd.h"
#include "kernels/flagging/band_and_drift.h"
#include "kernels/flagging/quantiles.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr double ratio = 1.5; // of the thresholds of n and 2 n neighbors

// The part of normal noise that all lengths in both directions flag. The sums of n
// neighbors stay above a threshold of z standard deviations for about n / z^2 steps, so
// what one excess flags is shared by that number. Lengths and directions find the same cells
// in part, and the smooth background follows the noise a little: by simulation, 0.35.
constexpr double shared = 0.35;
double flagged_noise(double first)
{
    double part = 0;
    for (std::size_t k = 0; k < sum_threshold::lengths; ++k) {
        const double n = std::pow(2.0, static_cast<double>(k));
        const double z = first * std::sqrt(n) / std::pow(ratio, static_cast<double>(k));
        part += 2 * normal_tail(z) * n / (1 + (n - 1) / (z * z));
    }
    return shared * part;
}

template <class T>
void turn(const T* in, std::size_t rows, std::size_t columns, T* out)
{
    constexpr std::size_t tile = 16;
    for (std::size_t r = 0; r < rows; r += tile) {
        for (std::size_t c = 0; c < columns; c += tile) {
            for (std::size_t x = c; x < std::min(c + tile, columns); ++x) {
                for (std::size_t y = r; y < std::min(r + tile, rows); ++y) {
                    out[x * rows + y] = in[y * columns + x];
                }
            }
        }
    }
}

} // namespace

// One step of the running sums of all columns: takes a row in, sees which runs end there,
// and lets the oldest row go. left: steps, counted backwards, that are still to be flagged.
FRINGE_SIMD static void add_rows(const float* in, std::size_t n, float* sum)
{
    for (std::size_t c = 0; c < n; ++c) {
        sum[c] += in[c];
    }
}
FRINGE_SIMD static void subtract_rows(const float* in, std::size_t n, float* sum)
{
    for (std::size_t c = 0; c < n; ++c) {
        sum[c] -= in[c];
    }
}
// chi: the threshold times the root of the length, so that few cells have to be as
// significant as many.
FRINGE_SIMD static float
compare_rows(const float* sum, const float* count, std::size_t n, float chi, float* above)
{
    float any = 0;
    for (std::size_t c = 0; c < n; ++c) {
        above[c] = sum[c] > chi * std::sqrt(count[c]) && count[c] > 0.5f ? 1.0f : 0.0f;
        any += above[c];
    }
    return any;
}

void transpose(const std::uint8_t* in,
               std::size_t rows,
               std::size_t columns,
               std::uint8_t* out)
{
    turn(in, rows, columns, out);
}

sum_threshold::sum_threshold(double rate)
{
    double low = 1, high = 40;
    for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (low + high);
        (flagged_noise(middle) > rate ? low : high) = middle;
    }
    d_first = high;
}

double sum_threshold::threshold(std::size_t k) const
{
    return d_first / std::pow(ratio, static_cast<double>(k));
}

// From about a thousand runs, no two of which overlap.
float sum_threshold::side::excess(std::size_t n)
{
    constexpr std::size_t enough = 1000;
    const std::size_t lines = rows / n;
    const std::size_t step = std::max<std::size_t>(1, lines * columns / enough);
    means.clear();
    for (std::size_t k = 0; k < lines * columns; k += step) {
        const std::size_t first = (k / columns) * n * columns + k % columns;
        float sum = 0, cells = 0;
        for (std::size_t x = first; x < first + n * columns; x += columns) {
            sum += value[x];
            cells += count[x];
        }
        if (cells > 0.5f) {
            means.push_back(std::abs(sum) / std::sqrt(cells));
        }
    }
    return std::max(1.0f, 1.4826f * median_of(means));
}

// Marks the part of a run that stands out: the one with the largest sum of values less half
// their mean. A long run that was found because of a part of it would flag the rest, too.
void sum_threshold::side::mark(std::size_t first, std::size_t last)
{
    float sum = 0, cells = 0;
    for (std::size_t x = first; x <= last; x += columns) {
        sum += value[x];
        cells += count[x];
    }
    const float half = 0.5f * sum / cells;
    std::size_t from = first, best_from = first, best_to = first;
    float best = 0;
    sum = 0;
    for (std::size_t x = first; x <= last; x += columns) {
        if (sum <= 0) {
            sum = 0;
            from = x;
        }
        sum += value[x] - half * count[x];
        if (sum > best) {
            best = sum;
            best_from = from;
            best_to = x;
        }
    }
    for (std::size_t x = best_from; x <= best_to; x += columns) {
        hit[x] = 1;
    }
}

// Marks the runs of n down the columns; false without any.
bool sum_threshold::side::find(std::size_t n, float chi)
{
    chi *= std::sqrt(static_cast<float>(n));
    sums.assign(columns, 0.0f);
    counts.assign(columns, 0.0f);
    left.resize(columns);
    bool any = false;
    for (std::size_t r = 0; r < rows; ++r) {
        add_rows(&value[r * columns], columns, sums.data());
        add_rows(&count[r * columns], columns, counts.data());
        if (r + 1 < n) {
            continue;
        }
        if (compare_rows(sums.data(), counts.data(), columns, chi, left.data()) > 0) {
            any = true;
            for (std::size_t c = 0; c < columns; ++c) {
                if (left[c] > 0) {
                    mark((r + 1 - n) * columns + c, r * columns + c);
                }
            }
        }
        subtract_rows(&value[(r + 1 - n) * columns], columns, sums.data());
        subtract_rows(&count[(r + 1 - n) * columns], columns, counts.data());
    }
    return any;
}

void sum_threshold::side::take(const std::uint8_t* hits)
{
    for (std::size_t k = 0; k < rows * columns; ++k) {
        if (hits[k]) {
            value[k] = 0;
            count[k] = 0;
            hit[k] = 1;
        }
    }
}

void sum_threshold::find(const float* value,
                         const std::uint8_t* used,
                         std::size_t dumps,
                         std::size_t channels,
                         std::uint8_t* hit)
{
    const std::size_t cells = dumps * channels;
    d_time.rows = d_frequency.columns = dumps;
    d_time.columns = d_frequency.rows = channels;
    d_time.value.resize(cells);
    for (std::size_t k = 0; k < cells; ++k) {
        d_time.value[k] = used[k] ? value[k] : 0.0f;
    }
    d_frequency.value.resize(cells);
    turn(d_time.value.data(), dumps, channels, d_frequency.value.data());
    d_time.count.assign(cells, 1.0f);
    d_frequency.count.assign(cells, 1.0f);
    d_time.hit.assign(cells, 0);
    d_frequency.hit.assign(cells, 0);
    d_turned.resize(cells);
    for (std::size_t k = 0; k < lengths; ++k) {
        const std::size_t n = std::size_t(1) << k;
        const auto chi = static_cast<float>(threshold(k));
        const bool in_time = n <= dumps && d_time.find(n, chi * d_time.excess(n));
        const bool in_frequency =
            n > 1 && n <= channels && d_frequency.find(n, chi * d_frequency.excess(n));
        if (in_frequency) {
            turn(d_frequency.hit.data(), channels, dumps, d_turned.data());
            d_time.take(d_turned.data());
        }
        if (in_time || in_frequency) {
            d_time.take(d_time.hit.data());
            turn(d_time.hit.data(), dumps, channels, d_turned.data());
            d_frequency.take(d_turned.data());
        }
    }
    for (std::size_t k = 0; k < cells; ++k) {
        hit[k] = d_time.hit[k] && used[k];
    }
}

} // namespace gr::fringe::kernels
