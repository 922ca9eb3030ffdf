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
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/device.h"

// Convolvers of W-projection, generic against fast ones, to the grid and back.
namespace kernel_cases {

//! A device's convolver for arrays of the host.
class convolver_on_device : public convolver
{
public:
    convolver_on_device(const w_kernels& k, const convolver_params& p)
        : convolver(k.geometry(), p.polarizations),
          d_kernel(convolver_factory().make(tested().which, k, p))
    {
    }
    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        const on_device uvw(at.uvw, uvw_bytes(at)), from(values, value_bytes(at)),
            to(grid, grid_values() * sizeof(*grid));
        d_kernel->spread({at.rows, uvw.get<double>(), at.channels, at.frequencies},
                         from.get<std::complex<float>>(),
                         to.get<std::complex<float>>());
        to.back(grid);
    }
    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        const on_device uvw(at.uvw, uvw_bytes(at)), to(values, value_bytes(at)),
            from(grid, grid_values() * sizeof(*grid));
        d_kernel->gather({at.rows, uvw.get<double>(), at.channels, at.frequencies},
                         from.get<std::complex<float>>(),
                         to.get<std::complex<float>>());
        to.back(values);
    }

private:
    static std::size_t uvw_bytes(const visibility_rows& at)
    {
        return 3 * at.rows * sizeof(double);
    }
    std::size_t value_bytes(const visibility_rows& at) const
    {
        return at.rows * at.channels * d_polarizations * sizeof(std::complex<float>);
    }
    const std::unique_ptr<convolver> d_kernel;
};

//! The convolver under test, for arrays of the host.
inline std::unique_ptr<convolver> make_fast_convolver(const w_kernels& k,
                                                      const convolver_params& p)
{
    if (tested().which.kind == backend::cuda) {
        return std::make_unique<convolver_on_device>(k, p);
    }
    return make_cpu_convolver(k, p.polarizations);
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
    // The kernel reaches this number of cells beside the taper's.
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
    double maximum = 0, difference = 0;
    for (std::size_t k = 0; k < a.size(); k++) {
        maximum = std::max(maximum, double(std::abs(a[k])));
        difference = std::max(difference, double(std::abs(a[k] - b[k])));
    }
    return maximum > 0 ? difference / maximum : difference;
}

inline void compare_convolver(unsigned support,
                              bool interpolate,
                              bool half_precision,
                              double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    double max_w = 0;
    const auto kernels =
        any_kernels(support, interpolate, half_precision ? 0.01 : 0.2, max_w);
    const w_kernels& k = *kernels;
    const w_geometry& g = k.geometry();
    const std::size_t polarizations = half_precision ? 4 : pick({1, 2, 4});
    const auto reference = make_generic_convolver(k, polarizations);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_convolver(k, {polarizations, half_precision});
    // Tracks of some baselines that go over the grid's edges.
    const std::size_t channels = 1 + random_below(7), times = 1 + random_below(9);
    const std::size_t maximum = support > 32 ? 3 : 12,
                      baselines = 1 + random_below(maximum);
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
    std::vector<std::complex<float>> values(at.rows * channels * polarizations);
    std::normal_distribution<float> normal;
    for (auto& v : values) {
        v = {normal(random_engine()), normal(random_engine())};
    }
    std::vector<std::complex<float>> first(reference->grid_values(), {0.5f, -1.0f}),
        other = first;
    reference->spread(at, values.data(), first.data());
    fast->spread(at, values.data(), other.data());
    BOOST_TEST(difference(first, other) <= tolerance);
    for (auto& cell : first) {
        cell = {normal(random_engine()), normal(random_engine())};
    }
    auto there = values;
    reference->gather(at, first.data(), values.data());
    fast->gather(at, first.data(), there.data());
    BOOST_TEST(difference(values, there) <= tolerance);
}

inline void any_convolvers(bool half_precision, double tolerance)
{
    for (const unsigned support : {8, 16, 32, 64, 128}) {
        for (const bool interpolate : {false, true}) {
            const unsigned times = support > 32 ? 1 : times_tried(2, 4);
            for (unsigned again = 0; again < times; again++) {
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

//! Images and visibilities by W-projection, from the host's memory to it.
inline void compare_w_projection(double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    auto p = image_of(20 + random_below(60), 20 + random_below(60), 0.05, 1e-3);
    p.how = gridder_params::method::w_projection;
    p.support = pick({16u, 32u});
    p.interpolate = random_below(2);
    p.polarizations = pick({1, 2, 4});
    const gridder_case c(2 + random_below(6),
                         uniform(10, 100),
                         uniform(0, 80),
                         1 + random_below(5),
                         p.polarizations);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto generic = make_gridder(backend::generic, p);
    const auto fast = make_gridder(tested().which, p);
    const auto image = image_by(*generic, c), other = image_by(*fast, c);
    BOOST_TEST(rms_difference(image, other) <= tolerance * rms(image));
    // A second image is added to the first.
    auto twice = other;
    fast->grid(c.at(), c.data.data(), c.weights.data(), twice.data());
    for (auto& pixel : twice) {
        pixel /= 2;
    }
    BOOST_TEST(rms_difference(image, twice) <= tolerance * rms(image));
    std::vector<std::complex<float>> first(c.data.size(), std::nanf("")), second(first);
    generic->degrid(c.at(), image.data(), first.data());
    fast->degrid(c.at(), image.data(), second.data());
    BOOST_TEST(rms_difference(first, second) <= tolerance * rms(first));
}

inline void w_projections(double tolerance)
{
    for (unsigned again = 0; again < times_tried(4, 8); again++) {
        compare_w_projection(tolerance);
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_CONVOLVER_H */
