/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// CLEAN: its cycles against sums in double, the methods against each other, the beam, and what
// ends it.
#include "gridder_cases.h"
#include "kernels/deconvolution/active_pixels.h"
#include "kernels/deconvolution/beam.h"
#include "kernels/deconvolution/clean.h"
#include <numeric>

using namespace kernel_cases;

namespace {

using image = std::vector<float>;
using uses = std::vector<std::uint8_t>;

gaussian_beam any_beam(double low, double high)
{
    gaussian_beam beam;
    beam.minor = uniform(low, high);
    beam.major = beam.minor * uniform(1.1, 2);
    beam.angle = uniform(0, M_PI);
    return beam;
}

//! A beam with a ring of sidelobes, 1 at the center.
image any_psf(const image_size& size, const gaussian_beam& beam, double ring)
{
    image psf(size.pixels());
    for (std::size_t r = 0; r < size.rows; r++) {
        for (std::size_t c = 0; c < size.columns; c++) {
            const double l = double(c) - double(size.columns / 2),
                         m = double(r) - double(size.rows / 2);
            const double radius = std::hypot(l, m) / beam.major;
            psf[r * size.columns + c] =
                float(beam_at(beam, l, m) + ring * std::sin(5 * radius) * radius /
                                                std::pow(1 + radius * radius, 1.5));
        }
    }
    return psf;
}

//! Visibilities of an array with all weights 1, and what makes images of them.
struct field {
    gridder_params p;
    gridder_case c;
    std::unique_ptr<gridder> g;
    image psf;
    double total;
    image_size size() const { return {p.columns, p.rows}; }

    explicit field(std::size_t side)
        : p(image_of(side, side + random_below(2), 0, 1e-5)), c(24, 900, 20, 4), psf()
    {
        p.pixel_l = p.pixel_m = 4e-4;
        g = make_gridder(backend::cpu, p);
        std::fill(c.weights.begin(), c.weights.end(), 1.0f);
        std::fill(c.data.begin(), c.data.end(), 1.0f);
        total = double(c.data.size());
        psf = dirty();
    }

    image dirty() { return dirty_of(c.data); }
    image dirty_of(const std::vector<std::complex<float>>& data)
    {
        image out(size().pixels());
        g->grid(c.at(), data.data(), c.weights.data(), out.data());
        for (auto& pixel : out) {
            pixel /= float(total);
        }
        return out;
    }
    //! The visibilities minus those of the model.
    void residual(const float* model, float* to)
    {
        std::vector<std::complex<float>> left(c.data.size());
        g->degrid(c.at(), model, left.data());
        for (std::size_t k = 0; k < left.size(); k++) {
            left[k] = c.data[k] - left[k];
        }
        const auto made = dirty_of(left);
        std::copy(made.begin(), made.end(), to);
    }
    residual_function major()
    {
        return [this](const float* model, float* to) { residual(model, to); };
    }
    void source(std::size_t row, std::size_t column, double flux)
    {
        const double l = (double(column) - double(p.columns / 2)) * p.pixel_l,
                     m = (double(row) - double(p.rows / 2)) * p.pixel_m;
        for (std::size_t k = 0; k < c.data.size(); k++) {
            c.data[k] +=
                std::complex<float>(std::polar(flux, 2 * M_PI * c.turns(k, l, m, true)));
        }
    }
};

double largest(const image& a)
{
    double maximum = 0;
    for (const float v : a) {
        maximum = std::max(maximum, double(std::abs(v)));
    }
    return maximum;
}

double largest_difference(const image& a, const image& b)
{
    double maximum = 0;
    for (std::size_t k = 0; k < a.size(); k++) {
        maximum = std::max(maximum, double(std::abs(a[k] - b[k])));
    }
    return maximum;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_beam_of_a_gaussian_is_found)
{
    for (int k = 0; k < 20; k++) {
        const image_size size{60 + random_below(30), 60 + random_below(30)};
        const double pixel_l = uniform(1e-4, 2e-4), pixel_m = uniform(1e-4, 2e-4);
        auto beam = any_beam(5e-4, 1e-3);
        image psf(size.pixels());
        for (std::size_t r = 0; r < size.rows; r++) {
            for (std::size_t c = 0; c < size.columns; c++) {
                psf[r * size.columns + c] =
                    float(beam_at(beam,
                                  (double(c) - double(size.columns / 2)) * pixel_l,
                                  (double(r) - double(size.rows / 2)) * pixel_m));
            }
        }
        const auto found = fit_beam(size, psf.data(), pixel_l, pixel_m);
        BOOST_REQUIRE(found);
        BOOST_TEST(found->major == beam.major, boost::test_tools::tolerance(1e-4));
        BOOST_TEST(found->minor == beam.minor, boost::test_tools::tolerance(1e-4));
        BOOST_TEST(std::abs(std::sin(found->angle - beam.angle)) < 1e-3);
    }
    const image flat(100, 1);
    BOOST_TEST(!fit_beam({10, 10}, flat.data(), 1, 1));
    image point(100, 0);
    point[55] = 1;
    BOOST_TEST(!fit_beam({10, 10}, point.data(), 1, 1));
}

BOOST_AUTO_TEST_CASE(a_convolution_is_the_sum_that_it_stands_for)
{
    std::normal_distribution<float> normal;
    for (int k = 0; k < 20; k++) {
        const image_size size{1 + random_below(30), 1 + random_below(30)};
        const image_size kernel_size{1 + random_below(70), 1 + random_below(70)};
        image in(size.pixels()), kernel(kernel_size.pixels()), out(size.pixels(), 1);
        for (auto* array : {&in, &kernel}) {
            for (auto& value : *array) {
                value = normal(random_engine());
            }
        }
        image_convolution(size, kernel_size, kernel.data())
            .add(in.data(), -2, out.data());
        image wanted(size.pixels());
        for (std::size_t at = 0; at < out.size(); at++) {
            double sum = 1;
            for (std::size_t from = 0; from < in.size(); from++) {
                const long r = long(at / size.columns) - long(from / size.columns) +
                               long(kernel_size.rows / 2);
                const long c = long(at % size.columns) - long(from % size.columns) +
                               long(kernel_size.columns / 2);
                if (r >= 0 && c >= 0 && r < long(kernel_size.rows) &&
                    c < long(kernel_size.columns)) {
                    sum -= 2 * double(in[from]) *
                           double(kernel[std::size_t(r) * kernel_size.columns +
                                         std::size_t(c)]);
                }
            }
            wanted[at] = float(sum);
        }
        BOOST_TEST(largest_difference(out, wanted) < 1e-5 * (1 + largest(wanted)));
    }
}

BOOST_AUTO_TEST_CASE(a_restored_point_is_the_beam)
{
    const image_size size{70, 61};
    const auto beam = any_beam(3, 6);
    image model(size.pixels()), restored(size.pixels());
    const std::size_t row = 20 + random_below(20), column = 20 + random_below(20);
    model[row * size.columns + column] = 2;
    restore(size, model.data(), beam, 1, 1, restored.data());
    image wanted(size.pixels());
    for (std::size_t k = 0; k < wanted.size(); k++) {
        wanted[k] = 2 * float(beam_at(beam,
                                      double(k % size.columns) - double(column),
                                      double(k / size.columns) - double(row)));
    }
    BOOST_TEST(largest_difference(restored, wanted) < 1e-5);
}

BOOST_AUTO_TEST_CASE(clark_finds_what_hogbom_finds)
{
    for (int round = 0; round < 3; round++) {
        const image_size size{128 + random_below(60), 128 + random_below(60)};
        const auto psf = any_psf(size, any_beam(4, 7), 0.1);
        image dirty(size.pixels()), sky(size.pixels());
        std::vector<std::size_t> places;
        // On a lattice, so that no two of them are in one beam.
        for (std::size_t r = 20; r + 20 < size.rows; r += 40) {
            for (std::size_t c = 20; c + 20 < size.columns; c += 40) {
                places.push_back((r + random_below(9)) * size.columns + c +
                                 random_below(9));
                sky[places.back()] = float(uniform(0.5, 5));
            }
        }
        image_convolution(size, size, psf.data()).add(sky.data(), 1, dirty.data());
        const uses use(size.pixels(), pixel_use::component);
        image models[2], residuals[2];
        for (int k = 0; k < 2; k++) {
            models[k].resize(size.pixels());
            residuals[k] = dirty;
            const auto how = k ? minor_method::clark : minor_method::hogbom;
            const auto done = make_minor_cycle(backend::cpu, how, size, psf.data())
                                  ->run(residuals[k].data(),
                                        models[k].data(),
                                        use.data(),
                                        0.1,
                                        0.01,
                                        100000);
            BOOST_TEST(done.peak <= 0.01);
            BOOST_TEST(!done.diverged);
            BOOST_TEST(done.peak == largest(residuals[k]),
                       boost::test_tools::tolerance(1e-6));
            // What was taken away is what is in the model, with the whole of the psf.
            image left = dirty;
            image_convolution(size, size, psf.data())
                .add(models[k].data(), -1, left.data());
            BOOST_TEST(largest_difference(left, residuals[k]) < 1e-4);
        }
        for (const auto at : places) {
            for (const auto& model : models) {
                double flux = 0;
                for (std::size_t r = at / size.columns - 3; r <= at / size.columns + 3;
                     r++) {
                    for (std::size_t c = at % size.columns - 3;
                         c <= at % size.columns + 3;
                         c++) {
                        flux += double(model[r * size.columns + c]);
                    }
                }
                BOOST_TEST(flux == double(sky[at]), boost::test_tools::tolerance(0.04));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(values_of_active_pixels_are_those_of_the_whole_image)
{
    for (int round = 0; round < 30; round++) {
        const image_size size{1 + random_below(40), 1 + random_below(40)};
        // Of the image's size, or smaller.
        image_response response{round % 2
                                    ? size
                                    : image_size{1 + random_below(unsigned(size.columns)),
                                                 1 + random_below(unsigned(size.rows))},
                                {}};
        const std::size_t planes = 1 + random_below(2), images = planes * pick({1, 3});
        image values(images * size.pixels()), weights(images);
        response.values.resize(images * response.size.pixels());
        for (auto* all : {&values, &response.values}) {
            for (auto& value : *all) {
                value = float(uniform(-1, 1));
            }
        }
        for (auto& weight : weights) {
            weight = images == 1 ? 1 : float(uniform(0.1, 1));
        }
        std::vector<std::size_t> chosen;
        for (std::size_t k = 0; k < size.pixels(); k++) {
            if (k == 0 || random_below(3) == 0) {
                chosen.push_back(k);
            }
        }
        active_pixels active(size, response, weights, planes);
        active.begin(chosen, values.data());
        const auto sought = [&](std::size_t at) {
            double sum = 0;
            for (std::size_t p = 0; p < planes; p++) {
                double mean = 0;
                for (std::size_t i = p * images / planes; i < (p + 1) * images / planes;
                     i++) {
                    mean += double(weights[i] * values[i * size.pixels() + at]);
                }
                sum += mean * mean;
            }
            return std::sqrt(sum);
        };
        for (int step = 0; step < 5; step++) {
            const std::size_t which = random_below(unsigned(chosen.size()));
            image amounts(images), found(images);
            for (auto& amount : amounts) {
                amount = float(uniform(-1, 1));
            }
            active.take(which, amounts.data());
            const long row = long(chosen[which] / size.columns),
                       column = long(chosen[which] % size.columns);
            for (std::size_t k = 0; k < size.pixels(); k++) {
                const long y =
                    long(k / size.columns) - row + long(response.size.rows / 2);
                const long x =
                    long(k % size.columns) - column + long(response.size.columns / 2);
                if (y < 0 || y >= long(response.size.rows) || x < 0 ||
                    x >= long(response.size.columns)) {
                    continue;
                }
                for (std::size_t i = 0; i < images; i++) {
                    values[i * size.pixels() + k] -=
                        amounts[i] *
                        response.values[(i * response.size.rows + std::size_t(y)) *
                                            response.size.columns +
                                        std::size_t(x)];
                }
            }
            double maximum = 0;
            for (const std::size_t at : chosen) {
                maximum = std::max(maximum, sought(at));
            }
            const auto peak = active.peak();
            BOOST_TEST(std::abs(double(std::abs(peak.value)) - maximum) < 2e-5);
            BOOST_TEST(std::abs(sought(chosen[peak.at]) - maximum) < 2e-5);
            active.values(which, found.data());
            for (std::size_t i = 0; i < images; i++) {
                BOOST_TEST(std::abs(found[i] -
                                    values[i * size.pixels() + chosen[which]]) < 1e-5f);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_level_that_is_no_float_is_reached)
{
    // A component with a gain of 0.1 takes a lone pixel down to the level of 0.9 of it, and
    // rounding leaves the pixel above the level in double precision, at it in single precision.
    const image_size size{32, 32};
    image psf(size.pixels());
    psf[16 * 32 + 16] = 1;
    const uses use(size.pixels(), pixel_use::component);
    for (const auto how : {minor_method::clark, minor_method::hogbom}) {
        const auto minor = make_minor_cycle(backend::cpu, how, size, psf.data());
        for (int k = 0; k < 200; k++) {
            image residual(size.pixels()), model(size.pixels());
            const float peak = float(uniform(0.1, 1));
            residual[random_below(unsigned(size.pixels()))] = peak;
            const double level = k < 100 ? 0.9 * double(peak) : double(peak) * (1 - 1e-9);
            const auto report =
                minor->run(residual.data(), model.data(), use.data(), 0.1, level, 1000);
            BOOST_CHECK_LE(report.iterations, 2);
            BOOST_CHECK_LE(largest(residual), level * (1 + 1e-6));
        }
    }
    // What is not finite ends it, too.
    image residual(size.pixels(), std::numeric_limits<float>::infinity()),
        model(size.pixels());
    make_minor_cycle(backend::cpu, minor_method::clark, size, psf.data())
        ->run(residual.data(), model.data(), use.data(), 0.1, 1, 1000);
}

BOOST_AUTO_TEST_CASE(a_residual_is_the_sum_of_visibilities_minus_the_model)
{
    field f(96);
    const auto size = f.size();
    f.source(30, 40, 3);
    f.source(60, 22, 1);
    auto residual = f.dirty();
    image model(size.pixels());
    const uses use(size.pixels(), pixel_use::component);
    clean_params p;
    p.max_iterations = 100 + random_below(100);
    const auto report = clean(
        p, size, f.psf.data(), use.data(), residual.data(), model.data(), f.major());
    BOOST_TEST((report.end == clean_end::iterations));
    BOOST_TEST(report.iterations == p.max_iterations);
    // The double sum over visibilities minus those of the components.
    const auto data = f.c.data;
    for (std::size_t at = 0; at < model.size(); at++) {
        if (model[at] != 0) {
            f.source(at / size.columns, at % size.columns, -double(model[at]));
        }
    }
    const double scale = largest(f.psf) * 4;
    for (int k = 0; k < 50; k++) {
        const std::size_t at = random_below(size.pixels());
        const double l = (double(at % size.columns) - double(size.columns / 2)) *
                         f.p.pixel_l,
                     m = (double(at / size.columns) - double(size.rows / 2)) *
                         f.p.pixel_m;
        BOOST_TEST(std::abs(double(residual[at]) - f.c.pixel(l, m) / f.total) <
                   1e-4 * scale);
    }
}

BOOST_AUTO_TEST_CASE(major_cycles_reach_the_threshold)
{
    for (const auto how : {minor_method::hogbom, minor_method::clark}) {
        field f(128);
        const auto size = f.size();
        // The visibilities are those of a source of 1 at the center already.
        f.source(31, 45, 4);
        f.source(90, 70, 2);
        auto residual = f.dirty();
        image model(size.pixels());
        const uses use(size.pixels(), pixel_use::component);
        clean_params p;
        p.how = how;
        p.max_iterations = 100000;
        p.threshold = 2e-3;
        const auto report = clean(
            p, size, f.psf.data(), use.data(), residual.data(), model.data(), f.major());
        BOOST_TEST((report.end == clean_end::threshold));
        BOOST_TEST(report.peak <= p.threshold);
        BOOST_TEST(report.major_cycles > 1u);
        BOOST_TEST(report.flux == 7.0, boost::test_tools::tolerance(0.02));
        const auto near = [&](std::size_t row, std::size_t column) {
            double flux = 0;
            for (std::size_t r = row - 5; r <= row + 5; r++) {
                for (std::size_t c = column - 5; c <= column + 5; c++) {
                    flux += double(model[r * size.columns + c]);
                }
            }
            return flux;
        };
        BOOST_TEST(near(31, 45) == 4.0, boost::test_tools::tolerance(0.06));
        BOOST_TEST(near(90, 70) == 2.0, boost::test_tools::tolerance(0.06));
    }
}

BOOST_AUTO_TEST_CASE(components_stay_in_the_mask)
{
    field f(96);
    const auto size = f.size();
    f.source(20, 20, 10);
    auto residual = f.dirty();
    image model(size.pixels());
    uses use(size.pixels(), pixel_use::background);
    for (std::size_t r = 40; r < 56; r++) {
        std::fill_n(&use[r * size.columns + 40], 16, pixel_use::component);
    }
    clean_params p;
    p.max_iterations = 50;
    clean(p, size, f.psf.data(), use.data(), residual.data(), model.data(), f.major());
    double inside = 0;
    for (std::size_t k = 0; k < model.size(); k++) {
        BOOST_TEST((model[k] == 0 || use[k] == pixel_use::component));
        inside += double(model[k]);
    }
    BOOST_TEST(inside != 0);
    // Nothing to do where no pixel may hold a component.
    const uses none(size.pixels(), pixel_use::background);
    const auto report = clean(
        p, size, f.psf.data(), none.data(), residual.data(), model.data(), f.major());
    BOOST_TEST((report.end == clean_end::threshold));
    BOOST_TEST(report.iterations == 0u);
}

BOOST_AUTO_TEST_CASE(where_deep_minor_cycles_do_harm_they_become_shorter)
{
    for (const auto how : {minor_method::hogbom, minor_method::clark}) {
        // The sky responds several times as strongly as minor cycles know. One that takes 0.8
        // of a peak out makes 1 - 0.8 x 3.5 = -1.8 of it, one that takes 0.4 makes -0.4.
        const double stronger = uniform(3.5, 4);
        const image_size size{90 + random_below(9), 90 + random_below(9)};
        const auto psf = any_psf(size, any_beam(3, 5), 0);
        image_convolution seen(size, size, psf.data());
        image sky(size.pixels()), dirty(size.pixels());
        for (int k = 0; k < 4; k++) {
            sky[(20 + random_below(50)) * size.columns + 20 + random_below(50)] +=
                float(uniform(0.5, 2));
        }
        seen.add(sky.data(), 1, dirty.data());
        auto residual = dirty;
        image model(size.pixels());
        clean_params p;
        p.how = how;
        p.threshold = 0.02 * largest(dirty);
        p.max_iterations = 1000000;
        const uses use(size.pixels(), pixel_use::component);
        const auto report = clean(p,
                                  size,
                                  psf.data(),
                                  use.data(),
                                  residual.data(),
                                  model.data(),
                                  [&](const float* components, float* to) {
                                      std::copy(dirty.begin(), dirty.end(), to);
                                      seen.add(components, -stronger, to);
                                  });
        BOOST_TEST((report.end == clean_end::threshold));
        BOOST_TEST(largest(residual) <= p.threshold);
        BOOST_TEST(report.flux * stronger == std::accumulate(sky.begin(), sky.end(), 0.0),
                   boost::test_tools::tolerance(0.15));
    }
}

BOOST_AUTO_TEST_CASE(what_diverges_ends_with_the_best_that_was_found)
{
    for (const auto how : {minor_method::hogbom, minor_method::clark}) {
        // Subtracting this with a gain of 1 makes the image higher than it was.
        const image_size size{64, 64};
        image psf(size.pixels(), -1.5f);
        psf[32 * 64 + 32] = 1;
        image dirty(size.pixels()), model(size.pixels());
        std::normal_distribution<float> normal;
        for (auto& pixel : dirty) {
            pixel = normal(random_engine());
        }
        auto residual = dirty;
        const uses use(size.pixels(), pixel_use::component);
        clean_params p;
        p.how = how;
        p.gain = 1;
        const auto report = clean(
            p, size, psf.data(), use.data(), residual.data(), model.data(), nullptr);
        BOOST_TEST((report.end == clean_end::diverged));
        BOOST_TEST(largest_difference(residual, dirty) == 0);
        BOOST_TEST(largest(model) == 0);

        // A residual that comes back larger each time.
        const auto beam = any_psf(size, any_beam(4, 6), 0);
        p.gain = 0.1;
        const auto grows = clean(p,
                                 size,
                                 beam.data(),
                                 use.data(),
                                 residual.data(),
                                 model.data(),
                                 [&](const float*, float* to) {
                                     for (std::size_t k = 0; k < size.pixels(); k++) {
                                         to[k] = 2 * dirty[k];
                                     }
                                 });
        BOOST_TEST((grows.end == clean_end::diverged));
        // And one that never changes.
        const auto same = clean(
            p,
            size,
            beam.data(),
            use.data(),
            residual.data(),
            model.data(),
            [&](const float*, float* to) { std::copy(dirty.begin(), dirty.end(), to); });
        BOOST_TEST((same.end == clean_end::stalled || same.end == clean_end::iterations));
    }
}

BOOST_AUTO_TEST_CASE(noise_is_that_of_the_pixels_that_count)
{
    const image_size size{300, 300};
    image noise(size.pixels());
    uses use(size.pixels(), pixel_use::background);
    std::normal_distribution<float> normal(5, 3);
    for (std::size_t k = 0; k < noise.size(); k++) {
        noise[k] = normal(random_engine());
        if (random_below(3) == 0) {
            use[k] = pixel_use::none;
            noise[k] = 1e6f;
        } else if (random_below(20) == 0) {
            noise[k] = 100;
        }
    }
    // 5 % of outliers raise the median deviation by some 6 %.
    BOOST_TEST(noise_of(size, noise.data(), use.data()) == 3,
               boost::test_tools::tolerance(0.15));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    const image_size size{8, 8};
    image psf(64), dirty(64), model(64);
    const uses use(64, pixel_use::component);
    const auto run = [&](const clean_params& p) {
        clean(p, size, psf.data(), use.data(), dirty.data(), model.data(), nullptr);
    };
    BOOST_CHECK_THROW(run({}), std::invalid_argument); // the psf is 0 at its center
    psf[4 * 8 + 4] = 1;
    BOOST_CHECK_NO_THROW(run({}));
    for (const double bad : {0.0, -0.1, 1.1, double(NAN)}) {
        clean_params p;
        p.gain = bad;
        BOOST_CHECK_THROW(run(p), std::invalid_argument);
        p = {};
        p.major_gain = bad;
        BOOST_CHECK_THROW(run(p), std::invalid_argument);
    }
    clean_params p;
    p.threshold = -1;
    BOOST_CHECK_THROW(run(p), std::invalid_argument);
    BOOST_CHECK_THROW(minor_method_from_name("maxent"), std::invalid_argument);
}
