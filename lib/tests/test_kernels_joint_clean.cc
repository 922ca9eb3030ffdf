/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// CLEAN of several images, scales and fields: against Clark's, against convolutions of the model,
// and against the sky that was put in.
#include "kernel_cases.h"
#include "kernels/deconvolution/clean.h"
#include "kernels/deconvolution/joint_minor.h"
#include "kernels/deconvolution/scale_shape.h"
#include "kernels/deconvolution/several_fields.h"
#include <cmath>
#include <numeric>

using namespace kernel_cases;
using namespace gr::fringe::kernels;

namespace {

using image = std::vector<float>;
using uses = std::vector<std::uint8_t>;

double uniform(double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random_engine());
}

//! A round beam with rings, 1 at the center.
image ringed(const image_size& size, double width)
{
    image psf;
    for (std::size_t k = 0; k < size.pixels(); k++) {
        const double r = std::hypot(double(k % size.columns) - double(size.columns / 2),
                                    double(k / size.columns) - double(size.rows / 2)) /
                         width;
        psf.push_back(float(std::exp(-r * r) + 0.05 * r * r / (1 + std::pow(r, 4))));
    }
    return psf;
}

//! Adds a component of the shape of a scale.
void draw(const image_size& size, double scale, std::size_t at, double flux, float* to)
{
    const scale_shape shape(scale);
    const long half = long(shape.size.rows / 2);
    for (long r = -half; r <= half; r++) {
        for (long c = -half; c <= half; c++) {
            to[long(at) + r * long(size.columns) + c] +=
                float(flux) *
                shape.values[std::size_t((r + half) * (2 * half + 1) + c + half)];
        }
    }
}

std::size_t inner_pixel(const image_size& size)
{
    return (40 + random_below(unsigned(size.rows - 80))) * size.columns + 40 +
           random_below(unsigned(size.columns - 80));
}

double largest(const image& a)
{
    double maximum = 0;
    for (const float v : a) {
        maximum = std::max(maximum, double(std::abs(v)));
    }
    return maximum;
}

//! Dirty images of skies [image].
image dirty_of(const image_size& size, const image& psf, const image& sky)
{
    image dirty(sky.size());
    for (std::size_t first = 0; first < sky.size(); first += size.pixels()) {
        image_convolution(size, size, &psf[first]).add(&sky[first], 1, &dirty[first]);
    }
    return dirty;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_image_of_points_is_cleaned_as_by_clark)
{
    const image_size size{120 + random_below(40), 120 + random_below(40)};
    const auto psf = ringed(size, 2.5);
    image sky(size.pixels());
    for (int k = 0; k < 6; k++) {
        sky[inner_pixel(size)] += float(uniform(0.5, 3));
    }
    const auto dirty = dirty_of(size, psf, sky);
    const uses use(size.pixels(), pixel_use::component);
    image residuals[2], models[2];
    for (int k = 0; k < 2; k++) {
        const auto minor =
            k ? make_joint_minor({}, size, psf.data())
              : make_minor_cycle(backend::cpu, minor_method::clark, size, psf.data());
        residuals[k] = dirty;
        models[k].resize(size.pixels());
        const auto report = minor->run(
            residuals[k].data(), models[k].data(), use.data(), 0.1, 0.02, 100000);
        BOOST_TEST(report.peak <= 0.02);
        BOOST_TEST(minor->peak(residuals[k].data(), use.data()) == report.peak);
        BOOST_TEST(std::accumulate(models[k].begin(), models[k].end(), 0.0) ==
                       std::accumulate(sky.begin(), sky.end(), 0.0),
                   boost::test_tools::tolerance(0.03));
    }
    double difference = 0;
    for (std::size_t k = 0; k < size.pixels(); k++) {
        difference = std::max(difference, double(std::abs(models[0][k] - models[1][k])));
    }
    BOOST_TEST(difference < 0.02);
}

BOOST_AUTO_TEST_CASE(planes_have_components_at_the_same_places)
{
    const image_size size{120 + random_below(40), 120 + random_below(40)};
    const std::size_t pixels = size.pixels();
    joint_params p;
    p.planes = 2;
    p.weights = {uniform(1, 2), uniform(1, 2), uniform(1, 2), uniform(1, 2)};
    const auto beam = ringed(size, 2.5);
    image psf, sky(4 * pixels);
    for (std::size_t i = 0; i < 4; i++) {
        psf.insert(psf.end(), beam.begin(), beam.end());
    }
    for (int k = 0; k < 5; k++) {
        // Of the second plane the fluxes have any sign, and may be the larger ones.
        const double fluxes[2] = {uniform(0.5, 2), uniform(-2, 2)};
        const auto at = inner_pixel(size);
        for (std::size_t i = 0; i < 4; i++) {
            sky[i * pixels + at] += float(fluxes[i / 2]);
        }
    }
    auto residual = dirty_of(size, psf, sky);
    image model(sky.size());
    const uses use(pixels, pixel_use::component);
    const auto minor = make_joint_minor(p, size, psf.data());
    const auto sought = [&] {
        double maximum = 0;
        for (std::size_t at = 0; at < pixels; at++) {
            double squares = 0;
            for (std::size_t plane = 0; plane < 2; plane++) {
                const double *w = &p.weights[2 * plane], *end = w + 2;
                const float* values = &residual[2 * plane * pixels + at];
                const double mean =
                    (w[0] * double(values[0]) + w[1] * double(values[pixels])) /
                    std::accumulate(w, end, 0.0);
                squares += mean * mean;
            }
            maximum = std::max(maximum, std::sqrt(squares));
        }
        return maximum;
    };
    const auto near = boost::test_tools::tolerance(1e-4);
    BOOST_TEST(minor->peak(residual.data(), use.data()) == sought(), near);
    const auto report =
        minor->run(residual.data(), model.data(), use.data(), 0.1, 0.02, 100000);
    BOOST_TEST(!report.diverged);
    BOOST_TEST(report.peak <= 0.02);
    BOOST_TEST(report.peak == sought(), near);
    double places = 0;
    for (std::size_t at = 0; at < pixels; at++) {
        places += model[at] != 0;
        for (std::size_t i = 1; i < 4; i++) {
            BOOST_REQUIRE((model[at] != 0) == (model[i * pixels + at] != 0));
        }
    }
    BOOST_TEST(places > 0);
    for (std::size_t i = 0; i < 4; i++) {
        const auto begin = long(i * pixels), end = begin + long(pixels);
        const double wanted =
            std::accumulate(sky.begin() + begin, sky.begin() + end, 0.0);
        BOOST_TEST(
            std::abs(std::accumulate(model.begin() + begin, model.begin() + end, 0.0) -
                     wanted) < 0.3);
    }
    // The mean is that of the first plane.
    const float* mean = minor->mean(residual.data());
    const double both = (p.weights[0] * double(residual[5]) +
                         p.weights[1] * double(residual[pixels + 5])) /
                        (p.weights[0] + p.weights[1]);
    BOOST_TEST(std::abs(double(mean[5]) - both) < 1e-5);
    p.planes = 3;
    BOOST_CHECK_THROW(make_joint_minor(p, size, psf.data()), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(scales_and_channels_find_the_sky)
{
    for (const bool with_terms : {false, true}) {
        const image_size size{200 + random_below(40), 200 + random_below(40)};
        joint_params p;
        p.weights = {uniform(1, 2), uniform(1, 2), uniform(1, 2)};
        p.scales = {0, 12, 24};
        if (with_terms) {
            p.functions = {1, -0.2, 1, 0, 1, 0.2};
        }
        image psf, sky(3 * size.pixels());
        for (const double width : {3.0, 2.7, 2.5}) {
            const auto beam = ringed(size, width);
            psf.insert(psf.end(), beam.begin(), beam.end());
        }
        const double slope = uniform(-1, 1);
        double fluxes[3] = {};
        const auto add = [&](double scale, double flux) {
            const auto at = inner_pixel(size);
            for (std::size_t i = 0; i < 3; i++) {
                const double in_image = flux * (1 + slope * (double(i) - 1) * 0.2);
                draw(size, scale, at, in_image, &sky[i * size.pixels()]);
                fluxes[i] += in_image;
            }
        };
        add(0, 1);
        add(24, 30);
        add(12, 15);
        const auto dirty = dirty_of(size, psf, sky);
        auto residual = dirty;
        image model(sky.size());
        const uses use(size.pixels(), pixel_use::component);
        const auto minor = make_joint_minor(p, size, psf.data());
        const double before = minor->peak(residual.data(), use.data());
        const auto report = minor->run(
            residual.data(), model.data(), use.data(), 0.2, 0.01 * before, 100000);
        BOOST_TEST(!report.diverged);
        BOOST_TEST(report.peak <= 0.01 * before);
        // Points alone would need a component for each pixel.
        BOOST_TEST(report.iterations < 600u);
        for (std::size_t i = 0; i < 3; i++) {
            const auto begin = model.begin() + long(i * size.pixels());
            BOOST_TEST(std::accumulate(begin, begin + long(size.pixels()), 0.0) ==
                           fluxes[i],
                       boost::test_tools::tolerance(0.05));
        }
        // What was taken away is what is in the models.
        auto left = dirty_of(size, psf, model);
        double maximum = 0;
        for (std::size_t k = 0; k < left.size(); k++) {
            maximum =
                std::max(maximum, double(std::abs(dirty[k] - left[k] - residual[k])));
        }
        BOOST_TEST(maximum < 1e-4 * largest(dirty));
        if (with_terms) {
            // Each pixel of the models is on a line.
            for (int k = 0; k < 1000; k++) {
                const std::size_t at = random_below(unsigned(size.pixels()));
                const double bent = double(model[at]) -
                                    2 * double(model[at + size.pixels()]) +
                                    double(model[at + 2 * size.pixels()]);
                BOOST_TEST(std::abs(bent) < 1e-5 * largest(model));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_shape_is_a_tapered_paraboloid)
{
    const double d = uniform(10, 40);
    const scale_shape shape(d);
    BOOST_TEST(std::accumulate(shape.values.begin(), shape.values.end(), 0.0) == 1.0,
               boost::test_tools::tolerance(1e-5));
    const std::size_t half = shape.size.columns / 2, step = half / 2;
    const float* middle = &shape.values[half * shape.size.columns + half];
    const double x = 2 * double(step) / d;
    BOOST_TEST(double(middle[step]) ==
                   double(*middle) * (1 - x * x) * std::pow(std::cos(M_PI * x / 2), 2),
               boost::test_tools::tolerance(1e-4));
    BOOST_TEST(scale_shape(0).values.size() == 1u);
    BOOST_TEST(scale_preference(0, 5, 0.6) == 1);
    BOOST_TEST(scale_preference(20, 5, 0.6) == std::pow(1.2, -3),
               boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(fields_are_cleaned_to_one_level)
{
    const image_size sizes[2] = {{120, 100}, {60 + random_below(9), 64}};
    std::vector<std::unique_ptr<minor_cycle>> parts;
    image residual, model;
    for (const auto& size : sizes) {
        const auto psf = ringed(size, 2.5);
        parts.push_back(
            make_minor_cycle(backend::cpu, minor_method::clark, size, psf.data()));
        image sky(size.pixels());
        sky[size.pixels() / 2 + size.columns / 2] = model.empty() ? 5.0f : 1.0f;
        const auto dirty = dirty_of(size, psf, sky);
        residual.insert(residual.end(), dirty.begin(), dirty.end());
        model.resize(residual.size());
    }
    const auto all = make_several_fields(std::move(parts));
    BOOST_TEST(all->values() == residual.size());
    const uses use(residual.size(), pixel_use::component);
    BOOST_TEST(all->peak(residual.data(), use.data()) == 5.0,
               boost::test_tools::tolerance(1e-3));
    const auto second = model.begin() + long(sizes[0].pixels());
    all->run(residual.data(), model.data(), use.data(), 0.1, 2, 1000);
    BOOST_TEST(std::accumulate(second, model.end(), 0.0) == 0);
    BOOST_TEST(std::accumulate(model.begin(), second, 0.0) > 2.9);
    const auto report =
        all->run(residual.data(), model.data(), use.data(), 0.1, 0.01, 100000);
    BOOST_TEST(report.peak <= 0.01);
    BOOST_TEST(std::accumulate(second, model.end(), 0.0) == 1.0,
               boost::test_tools::tolerance(0.05));
    BOOST_CHECK_THROW(make_several_fields({}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(what_joint_clean_cannot_do_is_refused)
{
    const image_size size{16, 16};
    image psf(2 * size.pixels());
    psf[8 * 16 + 8] = psf[256 + 8 * 16 + 8] = 1;
    const auto make = [&](const joint_params& p) {
        make_joint_minor(p, size, psf.data());
    };
    joint_params two;
    two.weights = {1, 1};
    BOOST_CHECK_NO_THROW(make(two));
    auto bad = two;
    bad.weights[1] = 0;
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    bad = two;
    bad.scales = {17};
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    bad.scales = {};
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    bad = two;
    bad.scale_bias = 0;
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    bad = two;
    bad.functions = {1, 2, 1, 2}; // both are the same
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    bad.functions = {1, 2, 3};
    BOOST_CHECK_THROW(make(bad), std::invalid_argument);
    psf[8 * 16 + 8] = 0.5f;
    BOOST_CHECK_THROW(make(two), std::invalid_argument);
}
