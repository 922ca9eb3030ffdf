/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/convolver.h"
#include "kernels/gridder/device_convolver.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/w_image.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! Values that are put into the order of convolvers at a time.
constexpr std::size_t max_values = std::size_t(1) << 24;
//! A table serves calls with a smaller largest w, down to so much of its own.
constexpr double min_part = 0.7, headroom = 1.02;

class w_projection_gridder : public gridder
{
public:
    w_projection_gridder(const compute_target& which, const gridder_params& p)
        : gridder(p), d_which(which)
    {
    }

private:
    void grid_all(const visibility_rows& at,
                  const std::complex<float>* data,
                  const float* weights,
                  float* images) override
    {
        const std::size_t planes = d_p.polarisations, values = at.rows * at.channels;
        uvw_extent all;
        for (std::size_t p = 0; p < planes; p++) {
            const auto e = extent_of(at, weights + p * values);
            all.visibilities += e.visibilities;
            all.max_w = std::max(all.max_w, e.max_w);
        }
        if (all.visibilities == 0) {
            return;
        }
        prepare(all.max_w);
        aligned_vector<std::complex<float>> grid(d_convolver->grid_values());
        const auto taken = [&](std::size_t row) {
            for (std::size_t p = 0; p < planes; p++) {
                const float* w = weights + p * values + row * at.channels;
                if (std::any_of(w, w + at.channels, [](float x) { return x > 0; })) {
                    return true;
                }
            }
            return false;
        };
        for_each_part(at, taken, [&](const part& now) {
            std::vector<std::complex<float>> weighted(now.rows.size() * at.channels *
                                                      planes);
            auto* to = weighted.data();
            for (const std::size_t row : now.rows) {
                for (std::size_t c = 0; c < at.channels; c++) {
                    for (std::size_t p = 0; p < planes; p++) {
                        const std::size_t k = p * values + row * at.channels + c;
                        *to++ =
                            weights[k] > 0 ? data[k] * weights[k] : std::complex<float>();
                    }
                }
            }
            d_convolver->spread(now.at, weighted.data(), grid.data());
        });
        add_images(d_p, *d_kernels, grid.data(), images);
    }

    void degrid_all(const visibility_rows& at,
                    const float* images,
                    std::complex<float>* data) override
    {
        const std::size_t planes = d_p.polarisations, values = at.rows * at.channels;
        std::fill_n(data, planes * values, std::complex<float>());
        const auto all = extent_of(at, nullptr);
        if (all.visibilities == 0) {
            return;
        }
        prepare(all.max_w);
        aligned_vector<std::complex<float>> grid(d_convolver->grid_values());
        make_grid(d_p, *d_kernels, images, grid.data());
        const auto taken = [&](std::size_t row) {
            const double* b = at.uvw + 3 * row;
            return std::isfinite(b[0]) && std::isfinite(b[1]) && std::isfinite(b[2]);
        };
        for_each_part(at, taken, [&](const part& now) {
            std::vector<std::complex<float>> made(now.rows.size() * at.channels * planes);
            d_convolver->gather(now.at, grid.data(), made.data());
            // The grid is the forward transform, of which the backward one is the conjugate.
            const auto* from = made.data();
            for (const std::size_t row : now.rows) {
                for (std::size_t c = 0; c < at.channels; c++) {
                    for (std::size_t p = 0; p < planes; p++) {
                        data[p * values + row * at.channels + c] = std::conj(*from++);
                    }
                }
            }
        });
    }

    void grid_one(const visibility_rows&,
                  const std::complex<float>*,
                  const float*,
                  float*) override
    {
    }
    void degrid_one(const visibility_rows&, const float*, std::complex<float>*) override
    {
    }

    //! Rows that are done at a time.
    struct part {
        std::vector<std::size_t> rows;
        std::vector<double> uvw;
        visibility_rows at;
    };
    template <class T, class F>
    static void for_each_part(const visibility_rows& at, const T& taken, const F& work)
    {
        part now;
        const std::size_t most = std::max<std::size_t>(1, max_values / at.channels);
        const auto done = [&] {
            now.at = at;
            now.at.rows = now.rows.size();
            now.at.uvw = now.uvw.data();
            work(now);
            now.rows.clear();
            now.uvw.clear();
        };
        for (std::size_t row = 0; row < at.rows; row++) {
            if (taken(row)) {
                now.rows.push_back(row);
                now.uvw.insert(now.uvw.end(), at.uvw + 3 * row, at.uvw + 3 * row + 3);
            }
            if (now.rows.size() == most) {
                done();
            }
        }
        if (!now.rows.empty()) {
            done();
        }
    }

    //! Kernels for w up to `max_w`, those of the last call if they serve.
    void prepare(double max_w)
    {
        max_w = d_p.w_term ? max_w : 0;
        if (d_kernels && max_w <= d_kernels->max_w() &&
            max_w >= min_part * d_kernels->max_w()) {
            return;
        }
        d_convolver.reset();
        d_kernels.reset();
        w_kernels::choice c;
        c.support = d_p.support;
        c.planes = d_p.w_planes;
        c.interpolate = d_p.interpolate;
        c.powers_of_two = d_which.kind == backend::cuda;
        d_kernels = std::make_unique<w_kernels>(d_p, c, headroom * max_w);
        d_convolver =
            d_which.kind == backend::generic
                ? make_generic_convolver(*d_kernels, d_p.polarisations)
            : d_which.kind == backend::cuda
                ? host_convolver_factory().make(
                      d_which, *d_kernels, {d_p.polarisations, d_p.half_precision})
                : make_cpu_convolver(*d_kernels, d_p.polarisations);
    }

    const compute_target d_which;
    std::unique_ptr<w_kernels> d_kernels;
    std::unique_ptr<convolver> d_convolver;
};

} // namespace

std::unique_ptr<gridder> make_w_projection_gridder(const compute_target& which,
                                                   const gridder_params& p)
{
    return std::make_unique<w_projection_gridder>(which, p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
