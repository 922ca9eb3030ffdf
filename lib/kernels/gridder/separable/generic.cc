/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/channelizer/fft.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace gr::fringe::kernels {

namespace {

using complex = std::complex<double>;

complex wave(double turns) { return std::polar(1.0, 2 * M_PI * turns); }

std::size_t modulo(long k, std::size_t n)
{
    const long m = k % long(n);
    return std::size_t(m < 0 ? m + long(n) : m);
}

//! A grid that is transformed as a whole, and all visibilities for every plane in w.
class generic_gridder : public gridder
{
public:
    using gridder::gridder;

private:
    //! u, v, w in wavelengths, w >= 0 where there are planes in w.
    struct place {
        double u, v, w;
        bool conjugate;
    };
    static place place_of(const visibility_rows& at, std::size_t r, std::size_t c)
    {
        const double* b = at.uvw + 3 * r;
        const double k = at.frequencies[c] / speed_of_light;
        const double sign = b[2] < 0 ? -1 : 1;
        return {sign * b[0] * k, sign * b[1] * k, sign * b[2] * k, sign < 0};
    }

    //! Calls touch(index, phi) for the cells of a plane around a visibility.
    static void around(const grid_plan& plan,
                       const place& x,
                       std::size_t plane,
                       const std::function<void(std::size_t, double)>& touch)
    {
        const double half = 0.5 * plan.kernel.support();
        const double deep = plan.plane_weight(x.w, plane);
        if (deep == 0) {
            return;
        }
        const double u = x.u * plan.u_cells, v = x.v * plan.v_cells;
        for (long j = long(std::ceil(v - half)); double(j) <= v + half; j++) {
            for (long i = long(std::ceil(u - half)); double(i) <= u + half; i++) {
                touch(modulo(j, plan.nv) * plan.nu + modulo(i, plan.nu),
                      deep * plan.kernel(u - double(i)) * plan.kernel(v - double(j)));
            }
        }
    }

    //! Calls touch(pixel, grid index, factor) for the pixels above the horizon: what the
    //! transformed plane is multiplied by.
    void pixels(const grid_plan& plan,
                std::size_t plane,
                const std::function<void(std::size_t, std::size_t, complex)>& touch) const
    {
        for (std::size_t j = 0; j < d_p.rows; j++) {
            for (std::size_t i = 0; i < d_p.columns; i++) {
                const long a = long(i) - long(d_p.columns / 2);
                const long b = long(j) - long(d_p.rows / 2);
                const double l = double(a) * d_p.pixel_l, m = double(b) * d_p.pixel_m;
                if (l * l + m * m >= 1) {
                    continue;
                }
                complex factor = 1 / (plan.kernel.transform(double(a) / double(plan.nu)) *
                                      plan.kernel.transform(double(b) / double(plan.nv)));
                if (plan.planes_in_w) {
                    const double n = n_minus_1(l, m);
                    factor *= wave(-plan.plane_w(plane) * (n - plan.middle)) *
                              plan.w_correction(n);
                }
                touch(j * d_p.columns + i,
                      modulo(b, plan.nv) * plan.nu + modulo(a, plan.nu),
                      factor);
            }
        }
    }

    static void transform(const grid_plan& plan, std::vector<complex>& grid)
    {
        const transform_f64 rows(plan.nu), columns(plan.nv);
        aligned_vector<complex> line(std::max(plan.nu, plan.nv));
        for (std::size_t j = 0; j < plan.nv; j++) {
            std::copy_n(&grid[j * plan.nu], plan.nu, line.begin());
            rows.run(line.data());
            std::copy_n(line.begin(), plan.nu, &grid[j * plan.nu]);
        }
        for (std::size_t i = 0; i < plan.nu; i++) {
            for (std::size_t j = 0; j < plan.nv; j++) {
                line[j] = grid[j * plan.nu + i];
            }
            columns.run(line.data());
            for (std::size_t j = 0; j < plan.nv; j++) {
                grid[j * plan.nu + i] = line[j];
            }
        }
    }

    void grid_one(const visibility_rows& at,
                  const std::complex<float>* data,
                  const float* weights,
                  float* image) override
    {
        const auto plan = grid_plan::make(d_p, extent_of(at, weights));
        for (std::size_t plane = 0; plane < plan.planes; plane++) {
            std::vector<complex> grid(plan.nu * plan.nv);
            for (std::size_t k = 0; k < at.rows * at.channels; k++) {
                if (!(weights[k] > 0)) {
                    continue;
                }
                const place x = place_of(at, k / at.channels, k % at.channels);
                complex value = complex(data[k]) * double(weights[k]);
                value =
                    (x.conjugate ? std::conj(value) : value) * wave(-x.w * plan.middle);
                around(plan, x, plane, [&](std::size_t cell, double phi) {
                    grid[cell] += value * phi;
                });
            }
            transform(plan, grid);
            pixels(plan, plane, [&](std::size_t pixel, std::size_t cell, complex factor) {
                image[pixel] += float((grid[cell] * factor).real());
            });
        }
    }

    void degrid_one(const visibility_rows& at,
                    const float* image,
                    std::complex<float>* data) override
    {
        const auto plan = grid_plan::make(d_p, extent_of(at, nullptr));
        std::vector<complex> sums(at.rows * at.channels);
        for (std::size_t plane = 0; plane < plan.planes; plane++) {
            // The conjugate of the backward transform is the forward one of the conjugate.
            std::vector<complex> grid(plan.nu * plan.nv);
            pixels(plan, plane, [&](std::size_t pixel, std::size_t cell, complex factor) {
                grid[cell] = double(image[pixel]) * factor;
            });
            transform(plan, grid);
            for (std::size_t k = 0; k < sums.size(); k++) {
                const place x = place_of(at, k / at.channels, k % at.channels);
                if (!std::isfinite(x.u + x.v + x.w)) {
                    continue;
                }
                around(plan, x, plane, [&](std::size_t cell, double phi) {
                    sums[k] += std::conj(grid[cell]) * phi;
                });
            }
        }
        for (std::size_t k = 0; k < sums.size(); k++) {
            const place x = place_of(at, k / at.channels, k % at.channels);
            const bool there = std::isfinite(x.u + x.v + x.w);
            const complex value = there ? sums[k] * wave(x.w * plan.middle) : 0;
            data[k] = std::complex<float>(x.conjugate ? std::conj(value) : value);
        }
    }
};

} // namespace

std::unique_ptr<gridder> make_generic_gridder(const gridder_params& p)
{
    return std::make_unique<generic_gridder>(p);
}

} // namespace gr::fringe::kernels
