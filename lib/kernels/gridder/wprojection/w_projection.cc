/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/workers.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/convolver.h"
#include "kernels/gridder/wprojection/device.h"
#include <algorithm>
#include <limits>

namespace gr::fringe::kernels {

namespace {

//! Values that are put into the order of convolvers at a time.
constexpr std::size_t max_values = std::size_t(1) << 24;
//! A table serves calls with a smaller largest w, down to so much of its own.
constexpr double min_part = 0.7, headroom = 1.02;
//! Rows that a thread puts into order at a time.
constexpr std::size_t at_once = 256;

/*!
 * The numbers of rows in an order in which neighbors are near each other, as GPUs like them.
 * Files have all baselines of a time after each other: the row that is nearest to the first
 * then is the same baseline at the next time, and the rows of each baseline are put together.
 */
std::vector<std::size_t> tracks(const std::vector<double>& uvw)
{
    const std::size_t rows = uvw.size() / 3;
    std::size_t step = 1;
    double nearest = std::numeric_limits<double>::max();
    for (std::size_t r = 1; r < rows; r++) {
        double d = 0;
        for (std::size_t k = 0; k < 3; k++) {
            const double x = uvw[3 * r + k] - uvw[k];
            d += x * x;
        }
        if (d < nearest) {
            nearest = d;
            step = r;
        }
    }
    std::vector<std::size_t> order;
    for (std::size_t first = 0; first < std::min(step, rows); first++) {
        for (std::size_t r = first; r < rows; r += step) {
            order.push_back(r);
        }
    }
    return order;
}

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
        const std::size_t planes = d_p.polarizations, values = at.rows * at.channels;
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
        d_projector->clear();
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
            now.for_each_value(planes,
                               [&](std::size_t row, std::size_t p, std::size_t to) {
                                   const std::size_t k = p * values + row;
                                   if (weights[k] > 0) {
                                       weighted[to] = data[k] * weights[k];
                                   }
                               });
            d_projector->spread(now.at, weighted.data());
        });
        d_projector->add_images(images);
    }

    void degrid_all(const visibility_rows& at,
                    const float* images,
                    std::complex<float>* data) override
    {
        const std::size_t planes = d_p.polarizations, values = at.rows * at.channels;
        std::fill_n(data, planes * values, std::complex<float>());
        const auto all = extent_of(at, nullptr);
        if (all.visibilities == 0) {
            return;
        }
        prepare(all.max_w);
        d_projector->take_images(images);
        const auto taken = [&](std::size_t row) {
            const double* b = at.uvw + 3 * row;
            return std::isfinite(b[0]) && std::isfinite(b[1]) && std::isfinite(b[2]);
        };
        for_each_part(at, taken, [&](const part& now) {
            std::vector<std::complex<float>> made(now.rows.size() * at.channels * planes);
            d_projector->gather(now.at, made.data());
            // The grid is the forward transform, of which the backward one is the conjugate.
            now.for_each_value(planes,
                               [&](std::size_t row, std::size_t p, std::size_t from) {
                                   data[p * values + row] = std::conj(made[from]);
                               });
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

        //! Calls f(visibility, polarization, its place in [row][channel][polarization]).
        template <class F>
        void for_each_value(std::size_t planes, const F& f) const
        {
            const std::size_t blocks = (rows.size() + at_once - 1) / at_once;
            workers::shared()->run(blocks, [&](std::size_t block, unsigned) {
                const std::size_t end = std::min((block + 1) * at_once, rows.size());
                for (std::size_t r = block * at_once; r < end; r++) {
                    for (std::size_t c = 0; c < at.channels; c++) {
                        for (std::size_t p = 0; p < planes; p++) {
                            f(rows[r] * at.channels + c,
                              p,
                              (r * at.channels + c) * planes + p);
                        }
                    }
                }
            });
        }
        //! Brings the rows into another order.
        void sort(const std::vector<std::size_t>& order)
        {
            const auto old_rows = rows;
            const auto old_uvw = uvw;
            for (std::size_t k = 0; k < order.size(); k++) {
                rows[k] = old_rows[order[k]];
                std::copy_n(&old_uvw[3 * order[k]], 3, &uvw[3 * k]);
            }
        }
    };
    template <class T, class F>
    void for_each_part(const visibility_rows& at, const T& taken, const F& work) const
    {
        part now;
        const std::size_t maximum = std::max<std::size_t>(1, max_values / at.channels);
        const auto done = [&] {
            if (d_which.kind == backend::cuda) {
                now.sort(tracks(now.uvw));
            }
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
            if (now.rows.size() == maximum) {
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
        d_projector.reset();
        d_kernels.reset();
        w_kernels::choice c;
        c.support = d_p.support;
        c.planes = d_p.w_planes;
        c.interpolate = d_p.interpolate;
        c.powers_of_two = d_which.kind == backend::cuda;
        d_kernels = std::make_unique<w_kernels>(d_p, c, headroom * max_w);
        if (d_which.kind == backend::cuda) {
            d_projector = projector_factory().make(d_which, *d_kernels, d_p);
            return;
        }
        d_projector = make_host_projector(
            d_p,
            *d_kernels,
            d_which.kind == backend::generic
                ? make_generic_convolver(*d_kernels, d_p.polarizations)
                : make_cpu_convolver(*d_kernels, d_p.polarizations));
    }

    const compute_target d_which;
    std::unique_ptr<w_kernels> d_kernels;
    std::unique_ptr<projector> d_projector;
};

} // namespace

std::unique_ptr<gridder> make_w_projection_gridder(const compute_target& which,
                                                   const gridder_params& p)
{
    return std::make_unique<w_projection_gridder>(which, p);
}

} // namespace gr::fringe::kernels
