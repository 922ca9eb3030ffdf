/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/staging.h"
#include "kernels/gridder/cuda/device_gridder.h"
#include "kernels/gridder/cuda/plane_images.cuh"
#include "kernels/gridder/separable/cuda/separable.cuh"
#include "kernels/gridder/separable/device.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace gr::fringe::kernels {

namespace {

class cuda_gridder : public device_gridder
{
public:
    cuda_gridder(const cuda_context& c, const gridder_params& p)
        : d_context(c), d_p(p), d_staging(c, 1 << 16)
    {
    }

    void grid(const visibility_rows& at,
              const grid_plan& plan,
              const std::complex<float>* data,
              const float* weights,
              float* images) override
    {
        each_block(at, plan, [&](separable_work& w, std::size_t first) {
            const std::size_t values = first * w.count;
            check_cuda(cudaMemsetAsync(d_grid.data(),
                                       0,
                                       w.planes * plane_values(plan) * sizeof(float2),
                                       d_context.compute),
                       "clearing the grid");
            separable::spread(w,
                              reinterpret_cast<const float2*>(data) + values,
                              weights + values,
                              d_grid.data(),
                              d_context.compute);
            for (int k = 0; k < w.planes; k++) {
                d_images->add(plan,
                              std::size_t(w.first_plane + k),
                              d_grid.data() + k * plane_values(plan),
                              images + first * d_p.columns * d_p.rows);
            }
        });
    }

    void degrid(const visibility_rows& at,
                const grid_plan& plan,
                const float* images,
                std::complex<float>* data) override
    {
        each_block(at, plan, [&](separable_work& w, std::size_t first) {
            for (int k = 0; k < w.planes; k++) {
                d_images->make(plan,
                               std::size_t(w.first_plane + k),
                               images + first * d_p.columns * d_p.rows,
                               d_grid.data() + k * plane_values(plan));
            }
            w.adds = w.first_plane > 0;
            separable::gather(w,
                              d_grid.data(),
                              reinterpret_cast<float2*>(data) + first * w.count,
                              d_context.compute);
        });
    }

private:
    //! Polarizations that are done together.
    std::size_t together() const { return d_p.polarizations == 4 ? 4 : 1; }
    std::size_t plane_values(const grid_plan& plan) const
    {
        return plan.nu * plan.nv * together();
    }

    //! Calls block(work, first polarization) for planes that are in memory at a time.
    template <class F>
    void each_block(const visibility_rows& at, const grid_plan& plan, const F& block)
    {
        if (at.rows == 0 || at.channels == 0) {
            return;
        }
        d_context.use();
        if (!d_images || !d_images->serves(plan, together())) {
            d_images.reset();
            d_images.emplace(d_context, d_p, plan, together());
        }
        const std::size_t planes = make_room(plan);
        separable_work w = work_of(at, plan);
        for (std::size_t n = 0; n < d_p.polarizations; n += together()) {
            for (std::size_t first = 0; first < plan.planes; first += planes) {
                w.first_plane = int(first);
                w.planes = int(std::min(planes, plan.planes - first));
                block(w, n);
            }
        }
    }

    //! Memory for planes: a third of what is free may be used. Returns their number.
    std::size_t make_room(const grid_plan& plan)
    {
        const std::size_t wanted = plan.planes * plane_values(plan);
        if (d_grid.size() < wanted) {
            std::size_t free = 0, all = 0;
            check_cuda(cudaMemGetInfo(&free, &all), "asking for the free memory");
            const std::size_t maximum = std::max(
                (free + d_grid.bytes()) / 3 / sizeof(float2), plane_values(plan));
            if (const std::size_t now = std::min(wanted, maximum); now > d_grid.size()) {
                d_grid = cuda_array<float2>();
                d_grid = cuda_array<float2>(d_context, now);
            }
        }
        return std::min(plan.planes, d_grid.size() / plane_values(plan));
    }

    separable_work work_of(const visibility_rows& at, const grid_plan& plan)
    {
        if (d_waves.size() < at.channels) {
            d_waves = cuda_array<double>(d_context, at.channels);
        }
        std::vector<double> waves;
        for (std::size_t c = 0; c < at.channels; c++) {
            waves.push_back(at.frequencies[c] / speed_of_light);
        }
        d_staging.copy(d_waves.data(), waves.data(), waves.size() * sizeof(waves[0]));
        separable_work w{};
        w.nu = double(plan.nu);
        w.nv = double(plan.nv);
        w.per_nu = 1 / w.nu;
        w.per_nv = 1 / w.nv;
        w.u_cells = plan.u_cells;
        w.v_cells = plan.v_cells;
        w.half = 0.5 * plan.kernel.support();
        w.first_w = plan.first_w;
        w.planes_per_w = 1 / plan.w_step;
        w.middle = plan.middle;
        w.cells_u = unsigned(plan.nu);
        w.cells_v = unsigned(plan.nv);
        w.support = plan.kernel.support();
        w.deep = plan.planes_in_w;
        w.nodes = plan.nodes.count() > 0;
        w.depth = unsigned(plan.depth());
        w.polarizations = unsigned(together());
        w.channels = unsigned(at.channels);
        w.count = at.rows * at.channels;
        // Some rounds of warps on all multiprocessors, each long enough to keep its sums.
        constexpr std::size_t least = 64, maximum = 2048;
        const std::size_t all = 64 * std::size_t(d_context.multiprocessors);
        w.chunk = std::clamp((w.count + all - 1) / all / 32 * 32, least, maximum);
        w.uvw = at.uvw;
        w.waves = d_waves.data();
        const spread_kernel kernel(plan.kernel);
        std::memcpy(w.powers, kernel.once, sizeof(w.powers));
        set_intervals(plan, w);
        return w;
    }

    void set_intervals(const grid_plan& plan, separable_work& w)
    {
        // Beside the errors of the kernels along u, v and w it does not count.
        const w_intervals intervals(plan, 0.2 * d_p.epsilon);
        w.terms = intervals.terms();
        w.intervals = intervals.count();
        const std::array<unsigned, 4> shape = {
            w.depth, unsigned(w.nodes), w.terms, w.intervals};
        if (shape != d_shape || !(d_kernel == plan.kernel)) {
            const auto weights = intervals.weights(plan);
            if (d_in_planes.bytes() < weights.size() * sizeof(weights[0])) {
                d_in_planes = cuda_array<float4>(d_context, weights.size() / 4);
            }
            d_staging.copy(
                d_in_planes.data(), weights.data(), weights.size() * sizeof(weights[0]));
            d_shape = shape;
            d_kernel = plan.kernel;
        }
        w.in_planes = d_in_planes.data();
    }

    const cuda_context& d_context;
    const gridder_params d_p;
    staging d_staging;
    cuda_array<double> d_waves;
    cuda_array<float2> d_grid; //!< [plane][v][u][polarization]
    //! w_intervals::weights, and what they depend on.
    cuda_array<float4> d_in_planes;
    std::array<unsigned, 4> d_shape = {};
    std::optional<es_kernel> d_kernel;
    std::optional<plane_images> d_images;
};

const bool registered =
    device_gridder_factory().set([](std::size_t index, const gridder_params& p) {
        return make_cuda_gridder(context_of(index), p);
    });
const bool registered_for_host =
    separable_factory().set([](std::size_t index, const gridder_params& p) {
        return make_separable_gridder_on(device_of(index), p);
    });

} // namespace

std::unique_ptr<device_gridder> make_cuda_gridder(const cuda_context& c,
                                                  const gridder_params& p)
{
    return std::make_unique<cuda_gridder>(c, p);
}

} // namespace gr::fringe::kernels
