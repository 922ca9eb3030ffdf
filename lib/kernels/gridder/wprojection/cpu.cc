/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/convolver.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t max_taps = 27;
constexpr std::size_t max_polarizations = 4;

//! out = sum of weights[k] rows[k], `count` floats each.
FRINGE_SIMD void add_up(const float* const* rows,
                        const float* weights,
                        std::size_t taps,
                        std::size_t count,
                        float* out)
{
    for (std::size_t n = 0; n < count; n++) {
        out[n] = weights[0] * rows[0][n];
    }
    for (std::size_t k = 1; k < taps; k++) {
        for (std::size_t n = 0; n < count; n++) {
            out[n] += weights[k] * rows[k][n];
        }
    }
}

//! cells[n][p] += kernel[n] value[p], complex numbers.
FRINGE_SIMD void spread_line(const float* kernel,
                             std::size_t count,
                             const float* value,
                             std::size_t polarizations,
                             float* cells)
{
    if (polarizations == 1) {
        const float re = value[0], im = value[1];
        for (std::size_t n = 0; n < count; n++) {
            cells[2 * n] += kernel[2 * n] * re - kernel[2 * n + 1] * im;
            cells[2 * n + 1] += kernel[2 * n] * im + kernel[2 * n + 1] * re;
        }
    } else if (polarizations == 2) {
        const float turned[4] = {-value[1], value[0], -value[3], value[2]};
        for (std::size_t n = 0; n < count; n++) {
            for (std::size_t k = 0; k < 4; k++) {
                cells[4 * n + k] +=
                    kernel[2 * n] * value[k] + kernel[2 * n + 1] * turned[k];
            }
        }
    } else {
        const floats turned = {-value[1],
                               value[0],
                               -value[3],
                               value[2],
                               -value[5],
                               value[4],
                               -value[7],
                               value[6]};
        floats straight, now;
        load(straight, value);
        for (std::size_t n = 0; n < count; n++) {
            load(now, cells + 8 * n);
            now += kernel[2 * n] * straight + kernel[2 * n + 1] * turned;
            store(now, cells + 8 * n);
        }
    }
}

//! sums[p] += the sum over n of kernel[n] cells[n][p].
FRINGE_SIMD void gather_line(const float* kernel,
                             std::size_t count,
                             const float* cells,
                             std::size_t polarizations,
                             float* sums)
{
    if (polarizations == 1) {
        float re = 0, im = 0;
        for (std::size_t n = 0; n < count; n++) {
            re += kernel[2 * n] * cells[2 * n] - kernel[2 * n + 1] * cells[2 * n + 1];
            im += kernel[2 * n] * cells[2 * n + 1] + kernel[2 * n + 1] * cells[2 * n];
        }
        sums[0] += re;
        sums[1] += im;
        return;
    }
    // Sums with the real and the imaginary part of the kernel, put together at the end.
    float with_re[8] = {}, with_im[8] = {};
    const std::size_t values = 2 * polarizations;
    if (polarizations == 4) {
        floats a = {}, b = {}, now;
        for (std::size_t n = 0; n < count; n++) {
            load(now, cells + 8 * n);
            a += kernel[2 * n] * now;
            b += kernel[2 * n + 1] * now;
        }
        store(a, with_re);
        store(b, with_im);
    } else {
        for (std::size_t n = 0; n < count; n++) {
            for (std::size_t k = 0; k < 4; k++) {
                with_re[k] += kernel[2 * n] * cells[4 * n + k];
                with_im[k] += kernel[2 * n + 1] * cells[4 * n + k];
            }
        }
    }
    for (std::size_t k = 0; k < values; k += 2) {
        sums[k] += with_re[k] - with_im[k + 1];
        sums[k + 1] += with_re[k + 1] + with_im[k];
    }
}

/*!
 * Bands of lines of the grid, at least as high as the support, so that visibilities of every
 * second band reach no common cell: all cores work on these at a time. Within a band
 * visibilities are in the order of the call, so sums have the same bits whichever thread does them.
 */
class cpu_convolver : public convolver
{
public:
    cpu_convolver(const w_kernels& k, std::size_t polarizations)
        : convolver(k.geometry(), polarizations),
          d_table(reinterpret_cast<const float*>(k.table().data())),
          d_workers(workers::shared()),
          d_bands(std::max<std::size_t>(1, d_g.nv / std::max(d_g.support, 16u)))
    {
    }

    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        const auto places = places_of(at);
        for_each_band(places, [&](std::size_t k) {
            const w_place& x = places[k];
            const std::complex<float> phase = phase_of(x);
            alignas(32) std::complex<float> now[max_polarizations];
            for (std::size_t p = 0; p < d_polarizations; p++) {
                const auto v = values[k * d_polarizations + p];
                now[p] = (x.conjugate ? std::conj(v) : v) * phase;
            }
            lines(x, [&](const float* kernel, std::size_t count, std::size_t cell) {
                spread_line(kernel,
                            count,
                            reinterpret_cast<const float*>(now),
                            d_polarizations,
                            reinterpret_cast<float*>(grid + cell * d_polarizations));
            });
        });
    }

    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        const auto places = places_of(at);
        constexpr std::size_t some = 256;
        d_workers->run(
            (places.size() + some - 1) / some, [&](std::size_t part, unsigned) {
                const std::size_t end = std::min((part + 1) * some, places.size());
                for (std::size_t k = part * some; k < end; k++) {
                    const w_place& x = places[k];
                    std::complex<float> now[max_polarizations] = {};
                    lines(x,
                          [&](const float* kernel, std::size_t count, std::size_t cell) {
                              gather_line(kernel,
                                          count,
                                          reinterpret_cast<const float*>(
                                              grid + cell * d_polarizations),
                                          d_polarizations,
                                          reinterpret_cast<float*>(now));
                          });
                    const std::complex<float> phase = phase_of(x);
                    for (std::size_t p = 0; p < d_polarizations; p++) {
                        const auto v = now[p] * phase;
                        values[k * d_polarizations + p] = x.conjugate ? std::conj(v) : v;
                    }
                }
            });
    }

private:
    static std::complex<float> phase_of(const w_place& x)
    {
        return std::complex<float>(std::polar(1.0, 2 * M_PI * double(x.turns)));
    }

    std::vector<w_place> places_of(const visibility_rows& at) const
    {
        std::vector<w_place> places(at.rows * at.channels);
        for (std::size_t r = 0; r < at.rows; r++) {
            const double* b = at.uvw + 3 * r;
            for (std::size_t c = 0; c < at.channels; c++) {
                places[r * at.channels + c] =
                    place_of(d_g, b[0], b[1], b[2], at.frequencies[c] / speed_of_light);
            }
        }
        return places;
    }

    std::size_t band_of(const w_place& x) const
    {
        return std::min(std::size_t(x.v) / (d_g.nv / d_bands), d_bands - 1);
    }

    //! Calls part(visibility) for all, those of neighboring bands one band after the other.
    template <class F>
    void for_each_band(const std::vector<w_place>& places, const F& part)
    {
        std::vector<std::size_t> begin(d_bands + 1), order(places.size());
        for (const w_place& x : places) {
            begin[band_of(x) + 1]++;
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        auto next = begin;
        for (std::size_t k = 0; k < places.size(); k++) {
            order[next[band_of(places[k])]++] = k;
        }
        // The last of an odd number of bands is beside the first.
        const std::size_t pairs = d_bands / 2;
        const auto run = [&](std::size_t first, std::size_t count) {
            d_workers->run(count, [&](std::size_t n, unsigned) {
                const std::size_t band = first + 2 * n;
                for (std::size_t k = begin[band]; k < begin[band + 1]; k++) {
                    part(order[k]);
                }
            });
        };
        run(0, pairs);
        run(1, pairs);
        run(2 * pairs, d_bands - 2 * pairs);
    }

    //! Calls touch(kernel, cells, first cell) for the pieces of lines that a kernel covers.
    template <class F>
    void lines(const w_place& x, const F& touch) const
    {
        const std::size_t s = d_g.support;
        const float* rows[max_taps];
        float weights[max_taps];
        alignas(64) float sum[2 * w_kernels::max_support];
        const std::size_t taps = taps_of(x, rows, weights);
        const std::size_t before = std::min(s, std::size_t(d_g.nu) - std::size_t(x.u));
        for (std::size_t v = 0; v < s; v++) {
            const float* line = rows[0];
            if (taps > 1) {
                add_up(rows, weights, taps, 2 * s, sum);
                line = sum;
            }
            const std::size_t row = (std::size_t(x.v) + v) % d_g.nv * d_g.nu;
            touch(line, before, row + std::size_t(x.u));
            if (before < s) {
                touch(line + 2 * before, s - before, row);
            }
            for (std::size_t k = 0; k < taps; k++) {
                rows[k] += 2 * s;
            }
        }
    }

    std::size_t taps_of(const w_place& x, const float** rows, float* weights) const
    {
        const auto entry = [&](long plane, long fv, long fu) {
            return d_table +
                   2 * (std::size_t(plane) * d_g.plane_step() +
                        std::size_t(fv) * d_g.v_step() + std::size_t(fu) * d_g.cells());
        };
        if (d_g.margin == 0) {
            rows[0] = entry(x.plane, x.fv, x.fu);
            return 1;
        }
        float au[3], av[3], aw[3] = {0, 1, 0};
        parabola(x.tu, au);
        parabola(x.tv, av);
        const long planes = d_g.plane_taps() / 2;
        if (planes > 0) {
            parabola(x.tw, aw);
        }
        std::size_t taps = 0;
        for (long w = -planes; w <= planes; w++) {
            for (long j = -1; j <= 1; j++) {
                for (long i = -1; i <= 1; i++) {
                    rows[taps] = entry(x.plane + w, x.fv + j, x.fu + i);
                    weights[taps++] = aw[w + 1] * av[j + 1] * au[i + 1];
                }
            }
        }
        return taps;
    }

    const float* const d_table;
    const std::shared_ptr<workers> d_workers;
    const std::size_t d_bands;
};

} // namespace

std::unique_ptr<convolver> make_cpu_convolver(const w_kernels& k,
                                              std::size_t polarizations)
{
    return std::make_unique<cpu_convolver>(k, polarizations);
}

} // namespace gr::fringe::kernels
