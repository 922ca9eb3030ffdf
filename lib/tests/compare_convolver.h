/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_CONVOLVER_H
#define INCLUDED_FRINGE_TESTS_COMPARE_CONVOLVER_H

#include "fast_kernels.h"
#include "gridder_cases.h"
#include "kernels/gridder/device_convolver.h"
#include "kernels/gridder/grid_plan.h"

// Convolvers of W-projection, generic against fast ones, to the grid and back.
namespace kernel_cases {

//! The convolver under test, for arrays of the host.
inline std::unique_ptr<convolver> make_fast_convolver(const w_kernels& k,
                                                      const convolver_params& p)
{
    return tested().which.kind == backend::cuda
               ? make_device_convolver(open_device(tested().which.index), k, p)
               : make_cpu_convolver(k, p.polarisations);
}

//! Kernels as wide as the support, for an image on a grid of any size.
inline std::unique_ptr<w_kernels>
any_kernels(unsigned support, bool interpolate, double width, double& max_w)
{
    gridder_params p;
    p.columns = 5 + random_below(support);
    p.rows = 5 + random_below(support);
    p.pixel_l = p.pixel_m = uniform(0.25, 1) * width / double(support);
    w_kernels::choice c;
    c.nu = 2 * support + random_below(2 * support);
    c.nv = 2 * support + random_below(2 * support);
    c.support = support;
    c.planes = interpolate ? pick({1, 3, 4, 9}) : pick({1, 2, 5});
    c.interpolate = interpolate;
    // The kernel reaches so many cells beside the taper's.
    const double slope =
        0.5 * p.pixel_l * p.pixel_l * double(std::max(c.nu * p.columns, c.nv * p.rows));
    for (max_w = 0.35 * support / slope;; max_w *= 0.6) {
        try {
            return std::make_unique<w_kernels>(p, c, max_w);
        } catch (const std::invalid_argument&) {
            BOOST_REQUIRE(max_w * slope > 1e-6);
        }
    }
}

inline double difference(const std::vector<std::complex<float>>& a,
                         const std::vector<std::complex<float>>& b)
{
    double most = 0, difference = 0;
    for (std::size_t k = 0; k < a.size(); k++) {
        most = std::max(most, double(std::abs(a[k])));
        difference = std::max(difference, double(std::abs(a[k] - b[k])));
    }
    return most > 0 ? difference / most : difference;
}

inline void compare_convolver(unsigned support,
                              bool interpolate,
                              bool half_precision,
                              double tolerance)
{
    double max_w = 0;
    const auto kernels =
        any_kernels(support, interpolate, half_precision ? 0.01 : 0.2, max_w);
    const w_kernels& k = *kernels;
    const w_geometry& g = k.geometry();
    const std::size_t polarisations = half_precision ? 4 : pick({1, 2, 4});
    const auto reference = make_generic_convolver(k, polarisations);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_convolver(k, {polarisations, half_precision});
    // Tracks of some baselines that go over the grid's edges.
    const std::size_t channels = 1 + random_below(7), times = 1 + random_below(9);
    const std::size_t most = support > 32 ? 3 : 12, baselines = 1 + random_below(most);
    std::vector<double> uvw, frequencies;
    for (std::size_t c = 0; c < channels; c++) {
        frequencies.push_back(speed_of_light * (1 + 0.01 * double(c)));
    }
    const double highest = 1 + 0.01 * double(channels);
    for (std::size_t t = 0; t < times; t++) {
        for (std::size_t b = 0; b < baselines; b++) {
            const double at = double(b) + 0.05 * double(t);
            uvw.push_back(g.nu / g.u_cells * 0.7 * std::sin(3 * at));
            uvw.push_back(g.nv / g.v_cells * 0.7 * std::cos(2 * at));
            uvw.push_back(max_w / highest * std::sin(5 * at));
        }
    }
    const visibility_rows at{times * baselines, uvw.data(), channels, frequencies.data()};
    std::vector<std::complex<float>> values(at.rows * channels * polarisations);
    std::normal_distribution<float> normal;
    for (auto& v : values) {
        v = {normal(random_engine()), normal(random_engine())};
    }
    std::vector<std::complex<float>> one(reference->grid_values(), {0.5f, -1.0f}),
        other = one;
    reference->spread(at, values.data(), one.data());
    fast->spread(at, values.data(), other.data());
    BOOST_TEST(difference(one, other) <= tolerance);
    for (auto& cell : one) {
        cell = {normal(random_engine()), normal(random_engine())};
    }
    auto there = values;
    reference->gather(at, one.data(), values.data());
    fast->gather(at, one.data(), there.data());
    BOOST_TEST(difference(values, there) <= tolerance);
}

inline void any_convolvers(bool half_precision, double tolerance)
{
    for (const unsigned support : {8, 16, 32, 64, 128}) {
        for (const bool interpolate : {false, true}) {
            for (int again = support > 32 ? 3 : 0; again < 4; again++) {
                BOOST_TEST_CONTEXT("support " << support << ", interpolate "
                                              << interpolate)
                {
                    compare_convolver(support, interpolate, half_precision, tolerance);
                }
            }
        }
    }
}

inline void convolvers(double tolerance) { any_convolvers(false, tolerance); }
//! Kernels of small fields are products, which tensor cores take.
inline void half_convolvers(double tolerance) { any_convolvers(true, tolerance); }

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_CONVOLVER_H */
