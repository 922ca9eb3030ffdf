/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/separable/device.h"
#include "kernels/device/device_block.h"
#include <algorithm>
#include <limits>

namespace gr::fringe::kernels {

namespace {

//! Visibilities of all polarizations that are on the device at a time.
constexpr std::size_t max_values = std::size_t(1) << 27;

class separable_gridder : public gridder
{
public:
    separable_gridder(const std::shared_ptr<device>& on, const gridder_params& p)
        : gridder(p),
          d_on(on),
          d_kernel(device_gridder_factory().make({backend::cuda, on->info().index}, p))
    {
    }

private:
    using complex = std::complex<float>;

    void grid_all(const visibility_rows& at,
                  const complex* data,
                  const float* weights,
                  float* images) override
    {
        uvw_extent all;
        for (std::size_t p = 0; p < d_p.polarizations; p++) {
            const auto e = extent_of(at, weights + p * at.rows * at.channels);
            if (e.visibilities > 0) {
                all = all.visibilities > 0 ? united(all, e) : e;
            }
        }
        if (all.visibilities == 0) {
            return;
        }
        const auto plan = grid_plan::make(d_p, all, grid_costs::of_gpu());
        device_block there(*d_on, image_bytes());
        there.upload(images);
        for_each_part(at, [&](const visibility_rows& part, std::size_t first) {
            device_block uvw(*d_on, 3 * part.rows * sizeof(double)),
                values(*d_on, values_of(part) * sizeof(complex)),
                factors(*d_on, values_of(part) * sizeof(float));
            uvw.upload(at.uvw + 3 * first);
            move(at, part, first, [&](std::size_t here, std::size_t k, std::size_t n) {
                values.upload(here * sizeof(complex), data + k, n * sizeof(complex));
                factors.upload(here * sizeof(float), weights + k, n * sizeof(float));
            });
            visibility_rows moved = part;
            moved.uvw = uvw.get<double>();
            d_kernel->grid(moved,
                           plan,
                           values.get<complex>(),
                           factors.get<float>(),
                           there.get<float>());
            d_on->synchronize();
        });
        there.download(images);
    }

    void
    degrid_all(const visibility_rows& at, const float* images, complex* data) override
    {
        const auto all = extent_of(at, nullptr);
        std::fill_n(data, values_of(at), complex());
        if (all.visibilities == 0) {
            return;
        }
        const auto plan = grid_plan::make(d_p, all, grid_costs::of_gpu());
        device_block there(*d_on, image_bytes());
        there.upload(images);
        for_each_part(at, [&](const visibility_rows& part, std::size_t first) {
            device_block uvw(*d_on, 3 * part.rows * sizeof(double)),
                values(*d_on, values_of(part) * sizeof(complex));
            uvw.upload(at.uvw + 3 * first);
            visibility_rows moved = part;
            moved.uvw = uvw.get<double>();
            d_kernel->degrid(moved, plan, there.get<float>(), values.get<complex>());
            move(at, part, first, [&](std::size_t here, std::size_t k, std::size_t n) {
                values.download(data + k, here * sizeof(complex), n * sizeof(complex));
            });
        });
    }

    void grid_one(const visibility_rows&, const complex*, const float*, float*) override
    {
    }
    void degrid_one(const visibility_rows&, const float*, complex*) override {}

    static uvw_extent united(const uvw_extent& a, const uvw_extent& b)
    {
        return {std::max(a.u, b.u),
                std::max(a.v, b.v),
                std::min(a.min_w, b.min_w),
                std::max(a.max_w, b.max_w),
                a.visibilities + b.visibilities};
    }
    std::size_t image_bytes() const
    {
        return d_p.columns * d_p.rows * d_p.polarizations * sizeof(float);
    }
    std::size_t values_of(const visibility_rows& at) const
    {
        return at.rows * at.channels * d_p.polarizations;
    }
    //! Calls work(rows, number of the first one) for some rows at a time.
    template <class F>
    void for_each_part(const visibility_rows& at, const F& work) const
    {
        const std::size_t maximum =
            std::max<std::size_t>(1, max_values / (at.channels * d_p.polarizations));
        for (std::size_t first = 0; first < at.rows; first += maximum) {
            visibility_rows part = at;
            part.rows = std::min(maximum, at.rows - first);
            work(part, first);
        }
    }
    //! Calls copy(first value of the part, of the whole, values) for each polarization.
    template <class F>
    void move(const visibility_rows& at,
              const visibility_rows& part,
              std::size_t first,
              const F& copy) const
    {
        for (std::size_t p = 0; p < d_p.polarizations; p++) {
            copy(p * part.rows * at.channels,
                 (p * at.rows + first) * at.channels,
                 part.rows * at.channels);
        }
    }

    const std::shared_ptr<device> d_on;
    const std::unique_ptr<device_gridder> d_kernel;
};

} // namespace

device_factory<device_gridder, gridder_params>& device_gridder_factory()
{
    static device_factory<device_gridder, gridder_params> the_factory;
    return the_factory;
}

device_factory<gridder, gridder_params>& separable_factory()
{
    static device_factory<gridder, gridder_params> the_factory;
    return the_factory;
}

std::unique_ptr<gridder> make_separable_gridder_on(const std::shared_ptr<device>& on,
                                                   const gridder_params& p)
{
    return std::make_unique<separable_gridder>(on, p);
}

} // namespace gr::fringe::kernels
