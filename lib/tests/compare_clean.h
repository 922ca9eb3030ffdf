/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_CLEAN_H
#define INCLUDED_FRINGE_TESTS_COMPARE_CLEAN_H

#include "fast_kernels.h"
#include "gridder_cases.h"
#include "kernels/deconvolution/minor_cycle.h"
#include <numeric>

// Minor cycles of CLEAN, generic against fast ones. The order of two pixels that are nearly as
// high may differ, so what is compared is what holds in any order.
namespace kernel_cases {

//! A round beam of some pixels with rings around it, 1 at the center.
inline std::vector<float> rings_around_a_beam(const image_size& size)
{
    const double width = uniform(2, 5), ring = uniform(0.02, 0.15);
    std::vector<float> psf;
    for (std::size_t r = 0; r < size.rows; r++) {
        for (std::size_t c = 0; c < size.columns; c++) {
            const double radius = std::hypot(double(c) - double(size.columns / 2),
                                             double(r) - double(size.rows / 2)) /
                                  width;
            psf.push_back(float(std::exp(-radius * radius) +
                                ring * std::sin(2 * radius) * radius /
                                    std::pow(1 + radius * radius, 1.5)));
        }
    }
    return psf;
}

//! sum_p model(p) psf(x - p), in double.
inline std::vector<double> seen_by(const image_size& size,
                                   const std::vector<float>& psf,
                                   const std::vector<float>& model)
{
    std::vector<double> out(size.pixels());
    const long rows = long(size.rows), columns = long(size.columns);
    for (long at = 0; at < rows * columns; at++) {
        for (long r = 0; model[std::size_t(at)] != 0 && r < rows; r++) {
            const long y = r - at / columns + rows / 2;
            for (long c = 0; y >= 0 && y < rows && c < columns; c++) {
                const long x = c - at % columns + columns / 2;
                if (x >= 0 && x < columns) {
                    out[std::size_t(r * columns + c)] +=
                        double(model[std::size_t(at)]) *
                        double(psf[std::size_t(y * columns + x)]);
                }
            }
        }
    }
    return out;
}

struct cleaned {
    std::vector<float> residual, model;
    minor_report report;
    double flux() const { return std::accumulate(model.begin(), model.end(), 0.0); }
};

inline void compare_minor_cycle(double tolerance, minor_method how)
{
    if (is_of_another_part()) {
        return;
    }
    const image_size size{30 + random_below(70), 30 + random_below(70)};
    const auto psf = rings_around_a_beam(size);
    std::vector<float> sky(size.pixels());
    for (int k = 0; k < 6; k++) {
        sky[random_below(unsigned(sky.size()))] =
            float(uniform(0.3, 3) * (k == 0 ? -1 : 1));
    }
    std::normal_distribution<float> noise(0, 0.01f);
    std::vector<float> dirty;
    double highest = 0;
    for (const double value : seen_by(size, psf, sky)) {
        dirty.push_back(float(value) + noise(random_engine()));
        highest = std::max(highest, std::abs(double(dirty.back())));
    }
    std::vector<std::uint8_t> use(size.pixels(), pixel_use::component);
    for (auto& pixel : use) {
        if (random_below(10) == 0) {
            pixel = pick({int(pixel_use::none), int(pixel_use::background)});
        }
    }
    const double level = highest * uniform(0.05, 0.3);
    const std::size_t maximum = random_below(4) ? 100000 : 20;
    const auto clean = [&](const compute_target& where) {
        cleaned made{dirty, std::vector<float>(size.pixels(), 0.0f), {}};
        const auto minor = make_minor_cycle(where, how, size, psf.data());
        // Twice, as after a major cycle.
        minor->run(made.residual.data(),
                   made.model.data(),
                   use.data(),
                   0.1,
                   std::max(level, 0.5 * highest),
                   maximum);
        made.report = minor->run(
            made.residual.data(), made.model.data(), use.data(), 0.1, level, maximum);
        return made;
    };
    const auto wanted = clean(backend::generic), found = clean(tested().which);
    BOOST_TEST(!found.report.diverged);
    BOOST_TEST(
        std::abs(double(found.report.iterations) - double(wanted.report.iterations)) <=
        2 + 0.05 * double(wanted.report.iterations));
    BOOST_TEST(
        found.report.peak ==
            double(std::abs(find_peak(size, found.residual.data(), use.data()).value)),
        boost::test_tools::tolerance(1e-6));
    if (wanted.report.iterations < maximum) {
        BOOST_TEST(found.report.peak <= level * (1 + 1e-6));
    }
    BOOST_TEST(std::abs(found.flux() - wanted.flux()) <= 0.05 * highest);
    const auto seen = seen_by(size, psf, found.model);
    double off = 0, apart = 0;
    for (std::size_t k = 0; k < seen.size(); k++) {
        off = std::max(off,
                       std::abs(double(dirty[k]) - seen[k] - double(found.residual[k])));
        apart = std::max(apart, std::abs(double(found.residual[k] - wanted.residual[k])));
        BOOST_REQUIRE(found.model[k] == 0 || use[k] == pixel_use::component);
    }
    BOOST_TEST(off <= tolerance * highest);
    // The components may stand in another order where two pixels are equal.
    BOOST_TEST(apart <= level);
}

inline void minor_cycles(double tolerance)
{
    for (int again = 0; again < 6; again++) {
        compare_minor_cycle(tolerance, minor_method::hogbom);
        compare_minor_cycle(tolerance, minor_method::clark);
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_CLEAN_H */
