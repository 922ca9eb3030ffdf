/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/spread.h"
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t at_once = 1024; // visibilities

//! Turns of -(along l + height n), to within half a turn.
FRINGE_SIMD void turns_of(const double* l,
                          const double* n,
                          std::size_t count,
                          double u,
                          double w,
                          double start,
                          float* turns)
{
    for (std::size_t k = 0; k < count; k++) {
        const double phase = -(start + u * l[k] + w * n[k]);
        turns[k] = float(phase - std::floor(phase + 0.5));
    }
}

FRINGE_SIMD void add_real(const float* re,
                          const float* im,
                          std::size_t count,
                          std::complex<float> value,
                          double* sum)
{
    const float a = value.real(), b = value.imag();
    for (std::size_t k = 0; k < count; k++) {
        sum[k] += double(a * re[k] - b * im[k]);
    }
}

//! The sum of values times the conjugate phases.
FRINGE_SIMD std::complex<double>
sum_turned(const float* values, const float* re, const float* im, std::size_t count)
{
    double a = 0, b = 0;
    for (std::size_t k = 0; k < count; k++) {
        a += double(values[k] * re[k]);
        b -= double(values[k] * im[k]);
    }
    return {a, b};
}

/*!
 * Without w the phase is a product of one along l and one along m, and the sum over
 * visibilities a product of matrices. With it every pixel has a phase of its own.
 */
class cpu_direct_gridder : public gridder
{
public:
    explicit cpu_direct_gridder(const gridder_params& p)
        : gridder(p), d_l(p.columns), d_m(p.rows), d_workers(workers::shared())
    {
        for (std::size_t i = 0; i < p.columns; i++) {
            d_l[i] = double(long(i) - long(p.columns / 2)) * p.pixel_l;
        }
        for (std::size_t j = 0; j < p.rows; j++) {
            d_m[j] = double(long(j) - long(p.rows / 2)) * p.pixel_m;
        }
    }

private:
    struct sample {
        double u, v, w;
        std::size_t index;
    };
    struct span {
        std::size_t begin, end; // columns above the horizon
    };

    std::vector<sample> samples(const visibility_rows& at, const float* weights) const
    {
        std::vector<sample> all;
        for (std::size_t k = 0; k < at.rows * at.channels; k++) {
            const double* b = at.uvw + 3 * (k / at.channels);
            const double f = at.frequencies[k % at.channels] / speed_of_light;
            if ((!weights || weights[k] > 0) && std::isfinite(b[0] + b[1] + b[2])) {
                all.push_back({b[0] * f, b[1] * f, d_p.w_term ? b[2] * f : 0, k});
            }
        }
        return all;
    }

    span above_horizon(std::size_t row) const
    {
        const auto there = [&](double l) { return l * l + d_m[row] * d_m[row] < 1; };
        const auto begin = std::find_if(d_l.begin(), d_l.end(), there);
        auto end = begin;
        while (end != d_l.end() && there(*end)) {
            ++end;
        }
        return {std::size_t(begin - d_l.begin()), std::size_t(end - d_l.begin())};
    }

    //! phases(re, im, sample) for every sample, and pixels of a row.
    template <class F>
    void along_row(const std::vector<sample>& all,
                   std::size_t row,
                   const span& there,
                   const F& use) const
    {
        const std::size_t count = there.end - there.begin;
        std::vector<double> n(count);
        for (std::size_t k = 0; k < count; k++) {
            n[k] = n_minus_1(d_l[there.begin + k], d_m[row]);
        }
        aligned_vector<float> turns(count), re(count), im(count);
        for (const auto& s : all) {
            turns_of(&d_l[there.begin],
                     n.data(),
                     count,
                     s.u,
                     s.w,
                     s.v * d_m[row],
                     turns.data());
            waves(turns.data(), count, re.data(), im.data());
            use(s, re.data(), im.data());
        }
    }

    void grid_one(const visibility_rows& at,
                  const std::complex<float>* data,
                  const float* weights,
                  float* image) override
    {
        const auto all = samples(at, weights);
        if (!d_p.w_term) {
            multiply(all, data, weights, image);
            return;
        }
        d_workers->run(d_p.rows, [&](std::size_t j, unsigned) {
            const span there = above_horizon(j);
            std::vector<double> sum(there.end - there.begin);
            along_row(
                all, j, there, [&](const sample& s, const float* re, const float* im) {
                    add_real(
                        re, im, sum.size(), data[s.index] * weights[s.index], sum.data());
                });
            for (std::size_t k = 0; k < sum.size(); k++) {
                image[j * d_p.columns + there.begin + k] += float(sum[k]);
            }
        });
    }

    //! Phases [sample][pixel of an axis].
    static void
    phases(const double* axis, std::size_t count, double lambdas, float* re, float* im)
    {
        std::vector<float> turns(count);
        turns_of(axis, axis, count, lambdas, 0, 0, turns.data());
        waves(turns.data(), count, re, im);
    }

    void multiply(const std::vector<sample>& all,
                  const std::complex<float>* data,
                  const float* weights,
                  float* image) const
    {
        // Re(a b) = Re a Re b - Im a Im b: one product of real matrices, twice as long.
        aligned_vector<float> along_l(2 * at_once * d_p.columns);
        aligned_vector<float> along_m(2 * at_once * d_p.rows);
        aligned_vector<float> sum(d_p.columns * d_p.rows);
        for (std::size_t first = 0; first < all.size(); first += at_once) {
            const std::size_t count = std::min(at_once, all.size() - first);
            for (std::size_t k = 0; k < count; k++) {
                const sample& s = all[first + k];
                const auto value = data[s.index] * weights[s.index];
                float* const re = &along_l[2 * k * d_p.columns];
                float* const im = re + d_p.columns;
                phases(d_l.data(), d_p.columns, s.u, re, im);
                for (std::size_t i = 0; i < d_p.columns; i++) {
                    const std::complex<float> x =
                        value * std::complex<float>(re[i], im[i]);
                    re[i] = x.real();
                    im[i] = -x.imag();
                }
                float* const other = &along_m[2 * k * d_p.rows];
                phases(d_m.data(), d_p.rows, s.v, other, other + d_p.rows);
            }
            cblas_sgemm(CblasRowMajor,
                        CblasTrans,
                        CblasNoTrans,
                        int(d_p.rows),
                        int(d_p.columns),
                        int(2 * count),
                        1,
                        along_m.data(),
                        int(d_p.rows),
                        along_l.data(),
                        int(d_p.columns),
                        1,
                        sum.data(),
                        int(d_p.columns));
        }
        for (std::size_t j = 0; j < d_p.rows; j++) {
            const span there = above_horizon(j);
            for (std::size_t i = there.begin; i < there.end; i++) {
                image[j * d_p.columns + i] += sum[j * d_p.columns + i];
            }
        }
    }

    void degrid_one(const visibility_rows& at,
                    const float* image,
                    std::complex<float>* data) override
    {
        std::fill_n(data, at.rows * at.channels, std::complex<float>());
        const auto all = samples(at, nullptr);
        d_workers->run(
            (all.size() + at_once - 1) / at_once, [&](std::size_t part, unsigned) {
                const std::vector<sample> some(
                    all.begin() + long(part * at_once),
                    all.begin() + long(std::min((part + 1) * at_once, all.size())));
                std::vector<std::complex<double>> sums(some.size());
                for (std::size_t j = 0; j < d_p.rows; j++) {
                    const span there = above_horizon(j);
                    const float* values = image + j * d_p.columns + there.begin;
                    along_row(some,
                              j,
                              there,
                              [&](const sample& s, const float* re, const float* im) {
                                  sums[std::size_t(&s - some.data())] +=
                                      sum_turned(values, re, im, there.end - there.begin);
                              });
                }
                for (std::size_t k = 0; k < some.size(); k++) {
                    data[some[k].index] = std::complex<float>(sums[k]);
                }
            });
    }

    std::vector<double> d_l, d_m;
    const std::shared_ptr<workers> d_workers;
};

} // namespace

std::unique_ptr<gridder> make_cpu_direct_gridder(const gridder_params& p)
{
    return std::make_unique<cpu_direct_gridder>(p);
}

} // namespace gr::fringe::kernels
