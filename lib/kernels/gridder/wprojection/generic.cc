/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/convolver.h"
#include <vector>

namespace gr::fringe::kernels {

namespace {

using complex = std::complex<double>;

class generic_convolver : public convolver
{
public:
    generic_convolver(const w_kernels& k, std::size_t polarizations)
        : convolver(k.geometry(), polarizations), d_table(k.table())
    {
    }

    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        std::vector<complex> sums(grid_values());
        for (std::size_t k = 0; k < at.rows * at.channels; k++) {
            const w_place x = place(at, k);
            const complex phase = std::polar(1.0, 2 * M_PI * double(x.turns));
            std::vector<complex> now;
            for (std::size_t p = 0; p < d_polarizations; p++) {
                const complex v(values[k * d_polarizations + p]);
                now.push_back((x.conjugate ? std::conj(v) : v) * phase);
            }
            cells(x, [&](std::size_t cell, complex kernel) {
                for (std::size_t p = 0; p < d_polarizations; p++) {
                    sums[cell * d_polarizations + p] += kernel * now[p];
                }
            });
        }
        for (std::size_t n = 0; n < sums.size(); n++) {
            grid[n] += std::complex<float>(sums[n]);
        }
    }

    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        for (std::size_t k = 0; k < at.rows * at.channels; k++) {
            const w_place x = place(at, k);
            const complex phase = std::polar(1.0, 2 * M_PI * double(x.turns));
            std::vector<complex> now(d_polarizations);
            cells(x, [&](std::size_t cell, complex kernel) {
                for (std::size_t p = 0; p < d_polarizations; p++) {
                    now[p] += kernel * complex(grid[cell * d_polarizations + p]);
                }
            });
            for (std::size_t p = 0; p < d_polarizations; p++) {
                const complex v = now[p] * phase;
                values[k * d_polarizations + p] =
                    std::complex<float>(x.conjugate ? std::conj(v) : v);
            }
        }
    }

private:
    w_place place(const visibility_rows& at, std::size_t k) const
    {
        const double* b = at.uvw + 3 * (k / at.channels);
        return place_of(
            d_g, b[0], b[1], b[2], at.frequencies[k % at.channels] / speed_of_light);
    }

    //! The kernel at entry (v, u), nearest or by parabolas through its neighbors.
    complex kernel(const w_place& x, std::size_t v, std::size_t u) const
    {
        const auto entry = [&](long plane, long fv, long fu) {
            return complex(d_table[std::size_t(plane) * d_g.plane_step() +
                                   std::size_t(fv) * d_g.v_step() +
                                   std::size_t(fu) * d_g.cells() + v * d_g.support + u]);
        };
        if (d_g.margin == 0) {
            return entry(x.plane, x.fv, x.fu);
        }
        float au[3], av[3], aw[3] = {0, 1, 0};
        parabola(x.tu, au);
        parabola(x.tv, av);
        if (d_g.plane_taps() == 3) {
            parabola(x.tw, aw);
        }
        const long planes = d_g.plane_taps() / 2;
        complex sum;
        for (long w = -planes; w <= planes; w++) {
            for (long j = -1; j <= 1; j++) {
                for (long i = -1; i <= 1; i++) {
                    sum += double(aw[w + 1] * av[j + 1] * au[i + 1]) *
                           entry(x.plane + w, x.fv + j, x.fu + i);
                }
            }
        }
        return sum;
    }

    template <class F>
    void cells(const w_place& x, const F& touch) const
    {
        for (std::size_t v = 0; v < d_g.support; v++) {
            for (std::size_t u = 0; u < d_g.support; u++) {
                const std::size_t row = (std::size_t(x.v) + v) % d_g.nv;
                const std::size_t column = (std::size_t(x.u) + u) % d_g.nu;
                touch(row * d_g.nu + column, kernel(x, v, u));
            }
        }
    }

    const std::vector<std::complex<float>>& d_table;
};

} // namespace

std::unique_ptr<convolver> make_generic_convolver(const w_kernels& k,
                                                  std::size_t polarizations)
{
    return std::make_unique<generic_convolver>(k, polarizations);
}

} // namespace gr::fringe::kernels
