/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/w_image.h"
#include "kernels/base/aligned.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/fft.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using complex = std::complex<float>;
constexpr std::size_t at_once = 8; // columns: a cache line of complex numbers

//! Where pixel k of n stands among `cells` of a transform.
std::size_t frequency(std::size_t k, std::size_t n, std::size_t cells)
{
    return (k + cells - n / 2) % cells;
}

//! A line to transform, and its transform.
struct line {
    aligned_vector<complex> in, out;
    explicit line(std::size_t n) : in(n), out(n) {}
    void run(const transform_f32& fft)
    {
        fft.run(reinterpret_cast<float*>(in.data()), out.data());
    }
};

//! The lines of a polarization between grid and images: [line of the grid][column].
class middle_plane
{
public:
    middle_plane(const gridder_params& p, const w_kernels& k)
        : d_p(p),
          d_k(k),
          d_g(k.geometry()),
          d_along_u(d_g.nu, true),
          d_along_v(d_g.nv, true),
          d_workers(workers::shared()),
          d_scratch(d_workers->slots(), line(std::max(d_g.nu, d_g.nv))),
          d_plane(p.columns * d_g.nv)
    {
    }

    void take_grid(const complex* grid, std::size_t polarization)
    {
        d_workers->run(d_g.nv, [&](std::size_t v, unsigned slot) {
            line& s = d_scratch[slot];
            const complex* from = grid + v * d_g.nu * d_p.polarizations + polarization;
            bool any = false;
            for (std::size_t u = 0; u < d_g.nu; u++) {
                s.in[u] = from[u * d_p.polarizations];
                any = any || s.in[u] != complex();
            }
            complex* const to = &d_plane[v * d_p.columns];
            if (!any) {
                std::fill_n(to, d_p.columns, complex());
                return;
            }
            s.run(d_along_u);
            for (std::size_t i = 0; i < d_p.columns; i++) {
                to[i] = s.out[frequency(i, d_p.columns, d_g.nu)];
            }
        });
    }

    void give_image(float* image)
    {
        columns([&](std::size_t i, line& s) {
            for (std::size_t v = 0; v < d_g.nv; v++) {
                s.in[v] = d_plane[v * d_p.columns + i];
            }
            s.run(d_along_v);
            for (std::size_t j = 0; j < d_p.rows; j++) {
                image[j * d_p.columns + i] +=
                    s.out[frequency(j, d_p.rows, d_g.nv)].real() * correction(j, i);
            }
        });
    }

    void take_image(const float* image)
    {
        columns([&](std::size_t i, line& s) {
            std::fill(s.in.begin(), s.in.end(), complex());
            for (std::size_t j = 0; j < d_p.rows; j++) {
                // Pixels below the horizon may be anything, not-a-numbers too.
                const float factor = correction(j, i);
                s.in[frequency(j, d_p.rows, d_g.nv)] =
                    factor == 0 ? 0 : image[j * d_p.columns + i] * factor;
            }
            s.run(d_along_v);
            for (std::size_t v = 0; v < d_g.nv; v++) {
                d_plane[v * d_p.columns + i] = s.out[v];
            }
        });
    }

    void give_grid(complex* grid, std::size_t polarization)
    {
        d_workers->run(d_g.nv, [&](std::size_t v, unsigned slot) {
            line& s = d_scratch[slot];
            std::fill(s.in.begin(), s.in.end(), complex());
            for (std::size_t i = 0; i < d_p.columns; i++) {
                s.in[frequency(i, d_p.columns, d_g.nu)] = d_plane[v * d_p.columns + i];
            }
            s.run(d_along_u);
            complex* const to = grid + v * d_g.nu * d_p.polarizations + polarization;
            for (std::size_t u = 0; u < d_g.nu; u++) {
                to[u * d_p.polarizations] = s.out[u];
            }
        });
    }

private:
    float correction(std::size_t row, std::size_t column) const
    {
        const double l = double(long(column) - long(d_p.columns / 2)) * d_p.pixel_l;
        const double m = double(long(row) - long(d_p.rows / 2)) * d_p.pixel_m;
        return l * l + m * m >= 1
                   ? 0
                   : float(d_k.correction_u(column) * d_k.correction_v(row));
    }

    template <class F>
    void columns(const F& column)
    {
        d_workers->run(
            (d_p.columns + at_once - 1) / at_once, [&](std::size_t part, unsigned slot) {
                const std::size_t end = std::min((part + 1) * at_once, d_p.columns);
                for (std::size_t i = part * at_once; i < end; i++) {
                    column(i, d_scratch[slot]);
                }
            });
    }

    const gridder_params& d_p;
    const w_kernels& d_k;
    const w_geometry& d_g;
    const transform_f32 d_along_u, d_along_v;
    const std::shared_ptr<workers> d_workers;
    std::vector<line> d_scratch; // [slot]
    std::vector<complex> d_plane;
};

} // namespace

void add_images(const gridder_params& p,
                const w_kernels& k,
                const std::complex<float>* grid,
                float* images)
{
    middle_plane plane(p, k);
    for (std::size_t n = 0; n < p.polarizations; n++) {
        plane.take_grid(grid, n);
        plane.give_image(images + n * p.columns * p.rows);
    }
}

void make_grid(const gridder_params& p,
               const w_kernels& k,
               const float* images,
               std::complex<float>* grid)
{
    middle_plane plane(p, k);
    for (std::size_t n = 0; n < p.polarizations; n++) {
        plane.take_image(images + n * p.columns * p.rows);
        plane.give_grid(grid, n);
    }
}

} // namespace gr::fringe::kernels
