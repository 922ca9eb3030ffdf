/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/backends.h"
#include "kernels/gridder/grid_plan.h"
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! The two sums as they stand, in double.
class generic_direct_gridder : public gridder
{
public:
    using gridder::gridder;

private:
    //! Turns of the phase of visibility k at direction cosines l, m.
    double turns(const visibility_rows& at, std::size_t k, double l, double m) const
    {
        const double* b = at.uvw + 3 * (k / at.channels);
        const double way =
            b[0] * l + b[1] * m + (d_p.w_term ? b[2] * n_minus_1(l, m) : 0);
        return way * at.frequencies[k % at.channels] / speed_of_light;
    }

    template <class F>
    void pixels(const F& touch) const
    {
        for (std::size_t j = 0; j < d_p.rows; j++) {
            for (std::size_t i = 0; i < d_p.columns; i++) {
                const double l = double(long(i) - long(d_p.columns / 2)) * d_p.pixel_l;
                const double m = double(long(j) - long(d_p.rows / 2)) * d_p.pixel_m;
                if (l * l + m * m < 1) {
                    touch(j * d_p.columns + i, l, m);
                }
            }
        }
    }

    void grid_one(const visibility_rows& at,
                  const std::complex<float>* data,
                  const float* weights,
                  float* image) override
    {
        pixels([&](std::size_t pixel, double l, double m) {
            double sum = 0;
            for (std::size_t k = 0; k < at.rows * at.channels; k++) {
                if (weights[k] > 0) {
                    const auto value = std::complex<double>(data[k]) * double(weights[k]);
                    sum +=
                        (value * std::polar(1.0, -2 * M_PI * turns(at, k, l, m))).real();
                }
            }
            image[pixel] += float(sum);
        });
    }

    void degrid_one(const visibility_rows& at,
                    const float* image,
                    std::complex<float>* data) override
    {
        std::vector<std::complex<double>> sums(at.rows * at.channels);
        pixels([&](std::size_t pixel, double l, double m) {
            for (std::size_t k = 0; k < sums.size(); k++) {
                sums[k] +=
                    std::polar(double(image[pixel]), 2 * M_PI * turns(at, k, l, m));
            }
        });
        for (std::size_t k = 0; k < sums.size(); k++) {
            const bool there = std::isfinite(std::norm(sums[k]));
            data[k] = there ? std::complex<float>(sums[k]) : std::complex<float>();
        }
    }
};

} // namespace

std::unique_ptr<gridder> make_generic_direct_gridder(const gridder_params& p)
{
    return std::make_unique<generic_direct_gridder>(p);
}

} // namespace gr::fringe::kernels
