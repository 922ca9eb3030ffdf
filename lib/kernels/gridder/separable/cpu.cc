/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/workers.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/separable/tile_runs.h"
#include "kernels/gridder/spread.h"
#include "kernels/gridder/transform/plane_transform.h"
#include <algorithm>
#include <cstring>
#include <optional>

namespace gr::fringe::kernels {

namespace {

//! From this number of visibilities on a tile is summed in the cache before it goes to the grid.
constexpr std::size_t many = 24;
//! Cells of a tile with those around it that kernels reach, and vectors.
constexpr std::size_t tile_cells_across = cell_map::tile + es_kernel::max_support;

/*!
 * One call: visibilities in the order of their first plane in w. As many planes are in memory
 * as the kernel is deep; a plane that no visibility reaches any more is transformed, and its
 * memory becomes the next.
 */
class plane_pass
{
public:
    plane_pass(const gridder_params& p, const visibility_rows& at, const float* weights)
        : d_at(at),
          d_workers(workers::shared()),
          d_extent(extent_of(at, weights)),
          d_plan(grid_plan::make(p, d_extent)),
          d_map(d_plan, d_extent),
          d_kernel(d_plan.kernel, d_plan.nodes),
          d_depth(d_plan.depth())
    {
        for (std::size_t c = 0; c < at.channels; c++) {
            d_wavenumbers.push_back(at.frequencies[c] / speed_of_light);
        }
        d_runs.emplace(d_map, at, d_wavenumbers, weights, *d_workers);
        if (d_runs->buckets().empty()) {
            return;
        }
        d_transform.emplace(p, d_plan, d_map, *d_workers);
        d_planes.resize(d_depth * plane_values());
        find_used();
        d_local.resize(d_workers->slots());
    }

    void grid(const std::complex<float>* data, const float* weights, float* image)
    {
        if (d_runs->buckets().empty()) {
            return;
        }
        std::size_t next = 0; // plane that is not transformed yet
        for_each_group([&](std::size_t plane, std::size_t begin, std::size_t end) {
            for (; next < plane; next++) {
                add_plane(next);
            }
            share(begin, end, [&](const tile_runs::bucket& b, unsigned slot) {
                spread_bucket(b, data, weights, slot);
            });
        });
        for (; next < d_plan.planes; next++) {
            add_plane(next);
        }
        d_transform->finish(image);
    }

    void degrid(const float* image, std::complex<float>* data)
    {
        std::fill_n(data, d_at.rows * d_at.channels, std::complex<float>());
        if (d_runs->buckets().empty()) {
            return;
        }
        d_transform->load(image);
        std::size_t next = 0; // plane that is not made yet
        for_each_group([&](std::size_t plane, std::size_t begin, std::size_t end) {
            for (next = std::max(next, plane); next < plane + d_depth; next++) {
                d_transform->make(plane_at(next), next, used(next));
            }
            share(begin, end, [&](const tile_runs::bucket& b, unsigned) {
                gather_bucket(b, data);
            });
        });
    }

private:
    std::size_t plane_values() const { return 2 * d_map.width() * d_map.height(); }
    float* plane_at(std::size_t plane)
    {
        return &d_planes[plane % d_depth * plane_values()];
    }

    //! Calls group(plane, first bucket, end) for the buckets that may be done at once.
    template <class F>
    void for_each_group(const F& group)
    {
        const auto& b = d_runs->buckets();
        for (std::size_t begin = 0, end = 0; begin < b.size(); begin = end) {
            while (end < b.size() && b[end].plane == b[begin].plane &&
                   b[end].color == b[begin].color) {
                end++;
            }
            group(b[begin].plane, begin, end);
        }
    }

    //! Calls part(bucket, slot) for buckets, some at a time.
    template <class F>
    void share(std::size_t begin, std::size_t end, const F& part)
    {
        const auto& b = d_runs->buckets();
        constexpr std::size_t enough = 1000; // visibilities
        std::vector<std::size_t> ends;
        std::size_t count = 0;
        for (std::size_t k = begin; k < end; k++) {
            count += b[k].visibilities + 10;
            if (count >= enough || k + 1 == end) {
                ends.push_back(k + 1);
                count = 0;
            }
        }
        d_workers->run(ends.size(), [&](std::size_t n, unsigned slot) {
            for (std::size_t k = n ? ends[n - 1] : begin; k < ends[n]; k++) {
                part(b[k], slot);
            }
        });
    }

    //! Lines of each plane that hold visibilities or the cells around them.
    void find_used()
    {
        d_used.assign(d_plan.planes, std::vector<char>(d_map.tiles_v));
        for (const auto& b : d_runs->buckets()) {
            for (std::size_t p = 0; p < d_depth; p++) {
                d_used[b.plane + p][b.tile_v] = 1;
            }
        }
    }
    std::vector<char> used(std::size_t plane) const
    {
        std::vector<char> lines(d_map.height());
        for (std::size_t t = 0; t < d_map.tiles_v; t++) {
            if (d_used[plane][t]) {
                std::fill_n(
                    lines.begin() + long(t * cell_map::tile), tile_cells_across, 1);
            }
        }
        return lines;
    }

    void add_plane(std::size_t plane)
    {
        const auto lines = used(plane);
        if (std::find(lines.begin(), lines.end(), 1) == lines.end()) {
            return;
        }
        float* const cells = plane_at(plane);
        d_transform->add(cells, plane, lines);
        for (std::size_t r = 0; r < lines.size(); r++) {
            if (lines[r]) {
                std::fill_n(cells + 2 * r * d_map.width(), 2 * d_map.width(), 0.f);
            }
        }
    }

    tile_place place(const tile_runs::bucket& b) const
    {
        return {double(d_map.first_u + long(b.tile_u) * cell_map::tile),
                double(d_map.first_v + long(b.tile_v) * cell_map::tile),
                double(b.plane)};
    }

    //! The cells of a tile on the grid.
    tile_cells cells_of(const tile_runs::bucket& b)
    {
        tile_cells to;
        to.count = d_depth;
        to.row = 2 * d_map.width();
        for (std::size_t p = 0; p < d_depth; p++) {
            to.planes[p] = plane_at(b.plane + p) + b.tile_v * cell_map::tile * to.row +
                           2 * b.tile_u * cell_map::tile;
        }
        return to;
    }

    void spread_bucket(const tile_runs::bucket& b,
                       const std::complex<float>* data,
                       const float* weights,
                       unsigned slot)
    {
        const tile_cells grid = cells_of(b);
        if (b.visibilities < many) {
            spread_runs(b, data, weights, grid);
            return;
        }
        auto& local = d_local[slot];
        local.assign(d_depth * 2 * tile_cells_across * tile_cells_across, 0.f);
        tile_cells to;
        to.count = d_depth;
        to.row = 2 * tile_cells_across;
        for (std::size_t p = 0; p < d_depth; p++) {
            to.planes[p] = &local[p * to.row * tile_cells_across];
        }
        spread_runs(b, data, weights, to);
        for (std::size_t p = 0; p < d_depth; p++) {
            for (std::size_t r = 0; r < tile_cells_across; r++) {
                const float* from = to.planes[p] + r * to.row;
                float* row = grid.planes[p] + r * grid.row;
                for (std::size_t k = 0; k < to.row; k++) {
                    row[k] += from[k];
                }
            }
        }
    }

    void spread_runs(const tile_runs::bucket& b,
                     const std::complex<float>* data,
                     const float* weights,
                     const tile_cells& to)
    {
        tile_batch batch;
        for (std::size_t k = b.begin; k < b.end; k++) {
            const tile_run& r = d_runs->runs()[k];
            const double* uvw = d_at.uvw + 3 * r.row;
            const std::size_t first = r.row * d_at.channels + r.first;
            place_run(d_map, place(b), uvw, &d_wavenumbers[r.first], r.count, batch);
            take_values(data + first, weights + first, d_map.sign(uvw), batch);
            spread(d_kernel, batch, to);
        }
    }

    void gather_bucket(const tile_runs::bucket& b, std::complex<float>* data)
    {
        const tile_cells from = cells_of(b);
        tile_batch batch;
        for (std::size_t k = b.begin; k < b.end; k++) {
            const tile_run& r = d_runs->runs()[k];
            const double* uvw = d_at.uvw + 3 * r.row;
            place_run(d_map, place(b), uvw, &d_wavenumbers[r.first], r.count, batch);
            gather(d_kernel, from, batch);
            give_values(batch, d_map.sign(uvw), data + r.row * d_at.channels + r.first);
        }
    }

    const visibility_rows d_at;
    const std::shared_ptr<workers> d_workers;
    const uvw_extent d_extent;
    const grid_plan d_plan;
    const cell_map d_map;
    const spread_kernel d_kernel;
    const std::size_t d_depth; // planes that a visibility reaches
    std::vector<double> d_wavenumbers;
    std::optional<tile_runs> d_runs;
    std::optional<plane_transform> d_transform;
    aligned_vector<float> d_planes;             // [depth][line][cell], complex
    std::vector<std::vector<char>> d_used;      // [plane][tile along v]
    std::vector<aligned_vector<float>> d_local; // [slot]
};

class cpu_gridder : public gridder
{
public:
    using gridder::gridder;

private:
    void grid_one(const visibility_rows& at,
                  const std::complex<float>* data,
                  const float* weights,
                  float* image) override
    {
        plane_pass(d_p, at, weights).grid(data, weights, image);
    }
    void degrid_one(const visibility_rows& at,
                    const float* image,
                    std::complex<float>* data) override
    {
        plane_pass(d_p, at, nullptr).degrid(image, data);
    }
};

} // namespace

std::unique_ptr<gridder> make_cpu_gridder(const gridder_params& p)
{
    return std::make_unique<cpu_gridder>(p);
}

} // namespace gr::fringe::kernels
