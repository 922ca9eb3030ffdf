/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/separable/tile_runs.h"
#include "kernels/base/workers.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {
constexpr std::size_t rows_at_once = 4096;
constexpr std::uint32_t longest = 64; // channels of a run
} // namespace

tile_runs::tile_runs(const cell_map& map,
                     const visibility_rows& at,
                     const std::vector<double>& wavenumbers,
                     const float* weights,
                     workers& all)
    : d_map(map)
{
    const std::size_t parts = (at.rows + rows_at_once - 1) / rows_at_once;
    std::vector<std::vector<tile_run>> found(parts);
    all.run(parts, [&](std::size_t part, unsigned) {
        const std::size_t end = std::min(at.rows, (part + 1) * rows_at_once);
        for (std::size_t r = part * rows_at_once; r < end; r++) {
            const double* b = at.uvw + 3 * r;
            const float* w = weights ? weights + r * at.channels : nullptr;
            if (std::isfinite(b[0]) && std::isfinite(b[1]) && std::isfinite(b[2]) &&
                (!w || std::any_of(w, w + at.channels, [](float x) { return x > 0; }))) {
                add_row(at, wavenumbers, r, found[part]);
            }
        }
    });
    std::size_t count = 0;
    for (const auto& part : found) {
        count += part.size();
    }
    d_runs.reserve(count);
    for (auto& part : found) {
        d_runs.insert(d_runs.end(), part.begin(), part.end());
        part = {};
    }
    sort();
    find_buckets();
}

std::uint64_t tile_runs::key(long plane, long u, long v) const
{
    const auto tile_u = std::uint64_t(u - d_map.first_u) / cell_map::tile;
    const auto tile_v = std::uint64_t(v - d_map.first_v) / cell_map::tile;
    const std::uint64_t color = 2 * (tile_v % 2) + tile_u % 2;
    return ((std::uint64_t(plane) * 4 + color) * d_map.tiles_v + tile_v) * d_map.tiles_u +
           tile_u;
}

void tile_runs::add_row(const visibility_rows& at,
                        const std::vector<double>& wavenumbers,
                        std::size_t row,
                        std::vector<tile_run>& runs) const
{
    const double* b = at.uvw + 3 * row;
    const double sign = d_map.sign(b);
    for (std::size_t c = 0; c < at.channels; c++) {
        const double k = sign * wavenumbers[c];
        const std::uint64_t now = key(long(d_map.first_plane(b[2] * k)),
                                      long(d_map.first(d_map.u(b[0] * k))),
                                      long(d_map.first(d_map.v(b[1] * k))));
        if (c > 0 && runs.back().key == now && runs.back().count < longest) {
            runs.back().count++;
        } else {
            runs.push_back({now, std::uint32_t(row), std::uint32_t(c), 1});
        }
    }
}

void tile_runs::sort()
{
    // By the digits of the keys, the lowest first: equal keys stay in order.
    std::uint64_t maximum = 0;
    for (const auto& r : d_runs) {
        maximum = std::max(maximum, r.key);
    }
    constexpr unsigned bits = 11;
    std::vector<tile_run> other(d_runs.size());
    for (unsigned shift = 0; maximum >> shift; shift += bits) {
        std::vector<std::size_t> place((1 << bits) + 1);
        const auto digit = [&](const tile_run& r) {
            return std::size_t(r.key >> shift) & ((1 << bits) - 1);
        };
        for (const auto& r : d_runs) {
            place[digit(r) + 1]++;
        }
        for (std::size_t k = 1; k < place.size(); k++) {
            place[k] += place[k - 1];
        }
        for (const auto& r : d_runs) {
            other[place[digit(r)]++] = r;
        }
        d_runs.swap(other);
    }
}

void tile_runs::find_buckets()
{
    for (std::size_t k = 0; k < d_runs.size(); k++) {
        if (k == 0 || d_runs[k].key != d_runs[k - 1].key) {
            const std::uint64_t tile_u = d_runs[k].key % d_map.tiles_u;
            const std::uint64_t above = d_runs[k].key / d_map.tiles_u;
            const std::uint64_t tile_v = above % d_map.tiles_v;
            const std::uint64_t color = above / d_map.tiles_v % 4;
            d_buckets.push_back(
                {above / d_map.tiles_v / 4, tile_u, tile_v, unsigned(color), k, k, 0});
        }
        d_buckets.back().end = k + 1;
        d_buckets.back().visibilities += d_runs[k].count;
    }
}

} // namespace gr::fringe::kernels
