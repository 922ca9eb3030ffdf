/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/spread.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! A function on -1 to 1 as a sum of powers: by interpolation at the zeros of a Chebyshev
//! polynomial.
template <class F>
std::vector<double> powers_of(unsigned terms, const F& function)
{
    std::vector<double> values(terms), series(terms);
    for (unsigned k = 0; k < terms; k++) {
        values[k] = function(std::cos(M_PI * (k + 0.5) / terms));
    }
    for (unsigned j = 0; j < terms; j++) {
        for (unsigned k = 0; k < terms; k++) {
            series[j] += (j ? 2.0 : 1.0) / terms * values[k] *
                         std::cos(M_PI * j * (k + 0.5) / terms);
        }
    }
    std::vector<double> sum(terms), before(terms), now(terms); // T_j-1, T_j
    before[0] = 1;
    now[1] = 1;
    for (unsigned d = 0; d < terms; d++) {
        sum[d] = series[0] * before[d] + series[1] * now[d];
    }
    for (unsigned j = 2; j < terms; j++) {
        std::vector<double> next(terms);
        for (unsigned d = 0; d < terms; d++) {
            next[d] = (d ? 2 * now[d - 1] : 0) - before[d];
            sum[d] += series[j] * next[d];
        }
        before = now;
        now = next;
    }
    return sum;
}

} // namespace

spread_kernel::spread_kernel(const es_kernel& kernel, const w_nodes& nodes)
    : support(kernel.support()), once(), twice(), along_w()
{
    const unsigned terms = support + 4;
    for (unsigned lane = 0; lane < support; lane++) {
        const auto powers = powers_of(terms, [&](double z) {
            return kernel(-0.5 * support + lane + 0.5 * (z + 1));
        });
        for (unsigned d = 0; d < terms; d++) {
            once[d][lane] = twice[d][2 * lane] = twice[d][2 * lane + 1] =
                float(powers[d]);
        }
    }
    if (!nodes.count()) {
        std::copy(&once[0][0], &once[0][0] + max_terms * lanes, &along_w[0][0]);
    }
    for (unsigned lane = 0; lane < nodes.count(); lane++) {
        const auto powers =
            powers_of(terms, [&](double z) { return nodes.weight(lane, 0.5 * (1 - z)); });
        for (unsigned d = 0; d < terms; d++) {
            along_w[d][lane] = float(powers[d]);
        }
    }
}

FRINGE_SIMD void place_run(const cell_map& map,
                           const tile_place& tile,
                           const double* uvw,
                           const double* wavenumbers,
                           std::size_t count,
                           tile_batch& out)
{
    const cell_map m = map;
    const double s = m.sign(uvw);
    const double u = s * uvw[0], v = s * uvw[1], w = s * uvw[2];
    const double last = cell_map::tile - 1;
    out.count = count;
    for (std::size_t c = 0; c < count; c++) {
        // Rounding may differ from that which chose the tile, by a cell at its edge.
        const double x = m.u_in(u * wavenumbers[c], tile.u);
        const double at_u = std::min(std::max(m.first(x), 0.0), last);
        const double y = m.v_in(v * wavenumbers[c], tile.v);
        const double at_v = std::min(std::max(m.first(y), 0.0), last);
        out.u[c] = std::int32_t(at_u);
        out.v[c] = std::int32_t(at_v);
        out.zu[c] = float(2 * (at_u - x + m.half) - 1);
        out.zv[c] = float(2 * (at_v - y + m.half) - 1);
    }
    for (std::size_t c = 0; c < count; c++) {
        const double lambdas = w * wavenumbers[c];
        const double phase = -lambdas * m.middle;
        out.turns[c] = float(phase - std::floor(phase + 0.5));
        out.zw[c] = float(2 * (tile.plane - m.plane(lambdas) + m.half_in_w) - 1);
    }
}

namespace {

//! cos and sin of 2 pi x, |x| <= 0.5, by those of half the angle.
__attribute__((always_inline)) inline void wave(float x, float& re, float& im)
{
    const float y = x * x; // of pi x: powers of (pi x)^2 are in the coefficients
    const float s =
        x * (3.14159265f +
             y * (-5.16771278f +
                  y * (2.55016404f +
                       y * (-0.599264529f + y * (0.0821458866f + y * -0.00737043095f)))));
    const float c =
        1 +
        y * (-4.93480220f +
             y * (4.05871213f +
                  y * (-1.33526277f +
                       y * (0.235330630f + y * (-0.0258068913f + y * 0.00192957431f)))));
    im = 2 * s * c;
    re = 1 - 2 * s * s;
}

} // namespace

FRINGE_SIMD void waves(const float* turns, std::size_t count, float* re, float* im)
{
    for (std::size_t k = 0; k < count; k++) {
        wave(turns[k], re[k], im[k]);
    }
}

FRINGE_SIMD void take_values(const std::complex<float>* data,
                             const float* weights,
                             double sign,
                             tile_batch& out)
{
    const auto parts = reinterpret_cast<const float*>(data);
    const float side = float(sign);
    for (std::size_t c = 0; c < out.count; c++) {
        const float weight = weights[c];
        // What has no weight may be anything, not-a-numbers too.
        const float a = weight > 0 ? parts[2 * c] * weight : 0;
        const float b = weight > 0 ? parts[2 * c + 1] * weight * side : 0;
        float re, im;
        wave(out.turns[c], re, im);
        out.re[c] = a * re - b * im;
        out.im[c] = a * im + b * re;
    }
}

FRINGE_SIMD void give_values(const tile_batch& in, double sign, std::complex<float>* data)
{
    const auto parts = reinterpret_cast<float*>(data);
    const float side = float(sign);
    for (std::size_t c = 0; c < in.count; c++) {
        float re, im;
        wave(in.turns[c], re, im);
        parts[2 * c] = in.re[c] * re + in.im[c] * im;
        parts[2 * c + 1] = side * (in.im[c] * re - in.re[c] * im);
    }
}

namespace {

template <unsigned terms>
__attribute__((always_inline)) inline void
evaluate(const float* coefficients, std::size_t step, float z, floats& k)
{
    floats c;
    load(k, coefficients + (terms - 1) * step);
    for (unsigned d = terms - 1; d-- > 0;) {
        load(c, coefficients + d * step);
        k = k * z + c;
    }
}

//! The kernel along u, twice each, and along v and w.
template <unsigned support>
struct weights_around {
    static constexpr unsigned terms = support + 4;
    static constexpr unsigned vectors = support > 4 ? 2 : 1;
    floats u[2];
    alignas(32) float v[8], w[8];

    __attribute__((always_inline)) inline void
    set(const spread_kernel& kernel, const tile_batch& b, std::size_t n, bool deep)
    {
        evaluate<terms>(kernel.twice[0], 16, b.zu[n], u[0]);
        if (vectors == 2) {
            evaluate<terms>(kernel.twice[0] + 8, 16, b.zu[n], u[1]);
        }
        floats along_v;
        evaluate<terms>(kernel.once[0], 8, b.zv[n], along_v);
        store(along_v, v);
        if (deep) {
            floats along_w;
            evaluate<terms>(kernel.along_w[0], 8, b.zw[n], along_w);
            store(along_w, w);
        } else {
            w[0] = 1;
        }
    }
};

template <unsigned support>
__attribute__((always_inline)) inline void
spread_all(const spread_kernel& kernel, const tile_batch& from, const tile_cells& to)
{
    weights_around<support> k;
    for (std::size_t n = 0; n < from.count; n++) {
        k.set(kernel, from, n, to.count > 1);
        const std::size_t offset =
            std::size_t(from.v[n]) * to.row + 2 * std::size_t(from.u[n]);
        for (std::size_t p = 0; p < to.count; p++) {
            const float re = from.re[n] * k.w[p], im = from.im[n] * k.w[p];
            const floats value = {re, im, re, im, re, im, re, im};
            floats across[2];
            for (unsigned i = 0; i < k.vectors; i++) {
                across[i] = value * k.u[i];
            }
            float* row = to.planes[p] + offset;
            for (unsigned j = 0; j < support; j++, row += to.row) {
                for (unsigned i = 0; i < k.vectors; i++) {
                    floats sum;
                    load(sum, row + 8 * i);
                    sum += across[i] * k.v[j];
                    store(sum, row + 8 * i);
                }
            }
        }
    }
}

template <unsigned support>
__attribute__((always_inline)) inline void
gather_all(const spread_kernel& kernel, const tile_cells& from, tile_batch& to)
{
    weights_around<support> k;
    for (std::size_t n = 0; n < to.count; n++) {
        k.set(kernel, to, n, from.count > 1);
        const std::size_t offset =
            std::size_t(to.v[n]) * from.row + 2 * std::size_t(to.u[n]);
        floats sum = {};
        for (std::size_t p = 0; p < from.count; p++) {
            floats across[2] = {};
            const float* row = from.planes[p] + offset;
            for (unsigned j = 0; j < support; j++, row += from.row) {
                for (unsigned i = 0; i < k.vectors; i++) {
                    floats cells;
                    load(cells, row + 8 * i);
                    across[i] += cells * k.v[j];
                }
            }
            for (unsigned i = 0; i < k.vectors; i++) {
                sum += across[i] * k.u[i] * k.w[p];
            }
        }
        to.re[n] = sum[0] + sum[2] + sum[4] + sum[6];
        to.im[n] = -(sum[1] + sum[3] + sum[5] + sum[7]);
    }
}

} // namespace

FRINGE_SIMD void
spread(const spread_kernel& kernel, const tile_batch& from, const tile_cells& to)
{
    switch (kernel.support) {
    case 3:
        return spread_all<3>(kernel, from, to);
    case 4:
        return spread_all<4>(kernel, from, to);
    case 5:
        return spread_all<5>(kernel, from, to);
    case 6:
        return spread_all<6>(kernel, from, to);
    case 7:
        return spread_all<7>(kernel, from, to);
    default:
        return spread_all<8>(kernel, from, to);
    }
}

FRINGE_SIMD void
gather(const spread_kernel& kernel, const tile_cells& from, tile_batch& to)
{
    switch (kernel.support) {
    case 3:
        return gather_all<3>(kernel, from, to);
    case 4:
        return gather_all<4>(kernel, from, to);
    case 5:
        return gather_all<5>(kernel, from, to);
    case 6:
        return gather_all<6>(kernel, from, to);
    case 7:
        return gather_all<7>(kernel, from, to);
    default:
        return gather_all<8>(kernel, from, to);
    }
}

} // namespace gr::fringe::kernels
