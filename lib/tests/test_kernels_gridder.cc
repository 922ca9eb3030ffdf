/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Images against the sums that they stand for, in double, and the backends against each other.
#include "gridder_cases.h"
#include "kernels/gridder/w_intervals.h"
#include "kernels/gridder/wprojection/separable_table.h"
#include <boost/test/data/test_case.hpp>

using namespace kernel_cases;
namespace data = boost::unit_test::data;

namespace {

const double zenith_distances[] = {0, 30, 60};
const double epsilons[] = {1e-3, 1e-4, 1e-5};

std::vector<float> random_image(const gridder_params& p, std::size_t planes = 1)
{
    std::vector<float> image(p.columns * p.rows * planes);
    std::normal_distribution<float> normal;
    for (auto& pixel : image) {
        pixel = normal(random_engine());
    }
    return image;
}

//! A gridder of both backends from the same parameters; sizes as they come, even and odd.
struct pair {
    gridder_params p;
    std::unique_ptr<gridder> generic, fast;
    explicit pair(const gridder_params& params)
        : p(params),
          generic(make_gridder(backend::generic, p)),
          fast(make_gridder(backend::cpu, p))
    {
    }
};

gridder_params any_image(double epsilon)
{
    auto p =
        image_of(random_below(40) + 1, random_below(40) + 1, uniform(0.1, 1), epsilon);
    p.polarizations = pick({1, 2, 4});
    p.w_term = random_below(4) > 0;
    return p;
}

gridder_case any_case(const gridder_params& p)
{
    return gridder_case(2 + random_below(6),
                        uniform(10, 300),
                        uniform(0, 80),
                        1 + random_below(5),
                        p.polarizations);
}

//! Largest difference by the largest value.
double difference(const std::vector<float>& a, const std::vector<float>& b)
{
    double maximum = 0, difference = 0;
    for (std::size_t k = 0; k < a.size(); k++) {
        maximum = std::max(maximum, std::abs(double(a[k])));
        difference = std::max(difference, std::abs(double(a[k] - b[k])));
    }
    return maximum > 0 ? difference / maximum : difference;
}

//! [polarization][row][channel] as floats.
std::vector<float>
degridded(gridder& g, const gridder_case& c, const std::vector<float>& image)
{
    std::vector<std::complex<float>> out(c.data.size(), std::nanf(""));
    g.degrid(c.at(), image.data(), out.data());
    const auto parts = reinterpret_cast<const float*>(out.data());
    return std::vector<float>(parts, parts + 2 * out.size());
}

void images_agree(double tolerance, gridder_params::method how)
{
    for (int again = 0; again < 8; again++) {
        const bool separable = how == gridder_params::method::separable;
        auto p = any_image(separable ? tolerance : 1e-4);
        p.how = how;
        if (how == gridder_params::method::w_projection) {
            // A small image with a large w would need a grid without end.
            const double width = uniform(0.02, 0.12);
            p.columns += 20;
            p.rows += 20;
            p.pixel_l = width / double(p.columns);
            p.pixel_m = width / double(p.rows);
            p.interpolate = random_below(2);
        }
        const pair both(p);
        const auto c = any_case(p);
        BOOST_TEST(difference(image_by(*both.generic, c), image_by(*both.fast, c)) <
                   std::max(tolerance, 1e-5));
        const auto image = random_image(p, p.polarizations);
        BOOST_TEST(difference(degridded(*both.generic, c, image),
                              degridded(*both.fast, c, image)) <
                   std::max(tolerance, 1e-5));
    }
}

struct row {
    const char* name;
    double tolerance;
    gridder_params::method how;
};
std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.name; }

const row table[] = {
    {"separable, 1e-3", 3e-4, gridder_params::method::separable},
    {"separable, 1e-5", 1e-5, gridder_params::method::separable},
    {"W-projection", 2e-6, gridder_params::method::w_projection},
    {"direct", 2e-6, gridder_params::method::direct},
};

struct named_operator {
    const char* name;
    backend which;
    gridder_params::method how;
};
std::ostream& operator<<(std::ostream& out, const named_operator& o)
{
    return out << o.name;
}

const named_operator operators[] = {
    {"generic", backend::generic, gridder_params::method::separable},
    {"generic, direct", backend::generic, gridder_params::method::direct},
    {"generic, W-projection", backend::generic, gridder_params::method::w_projection},
    {"cpu", backend::cpu, gridder_params::method::separable},
    {"cpu, W-projection", backend::cpu, gridder_params::method::w_projection},
    {"cpu, direct", backend::cpu, gridder_params::method::direct},
};

} // namespace

BOOST_DATA_TEST_CASE(fast_equals_generic, data::make(table), kernel)
{
    images_agree(kernel.tolerance, kernel.how);
}

BOOST_DATA_TEST_CASE(image_is_the_sum_within_epsilon,
                     data::make(zenith_distances) * data::make(epsilons),
                     degrees,
                     epsilon)
{
    const gridder_case c(40, 300, degrees, 3);
    const auto p = image_of(512, 450, 0.9, epsilon);
    const auto image = image_by(*make_gridder(backend::cpu, p), c);
    std::vector<double> error, value;
    while (value.size() < 256) {
        const std::size_t i = random_below(p.columns), j = random_below(p.rows);
        const double l = cosine(i, p.columns, p.pixel_l),
                     m = cosine(j, p.rows, p.pixel_m);
        value.push_back(c.pixel(l, m));
        error.push_back(double(image[j * p.columns + i]) - value.back());
    }
    BOOST_TEST_MESSAGE("zenith distance " << degrees << ", epsilon " << epsilon
                                          << ": rms error " << rms(error) / rms(value));
    BOOST_TEST(rms(error) <= epsilon * rms(value));
}

//! Rms error of 256 random pixels by the rms of their values.
double pixel_error(const gridder_params& p, const gridder_case& c)
{
    const auto image = image_by(*make_gridder(backend::cpu, p), c);
    std::vector<double> error, value;
    while (value.size() < 256) {
        const std::size_t i = random_below(p.columns), j = random_below(p.rows);
        value.push_back(
            c.pixel(cosine(i, p.columns, p.pixel_l), cosine(j, p.rows, p.pixel_m)));
        error.push_back(double(image[j * p.columns + i]) - value.back());
    }
    return rms(error) / rms(value);
}

BOOST_DATA_TEST_CASE(image_of_a_plane_near_its_zenith, data::make(epsilons), epsilon)
{
    for (int again = 0; again < 4; again++) {
        const gridder_case c(30, 300, std::pow(10, uniform(-3, -0.5)), 2);
        const auto p = image_of(300, 270, 0.9, epsilon);
        const double error = pixel_error(p, c);
        BOOST_TEST_MESSAGE("epsilon " << epsilon << ": rms error " << error);
        BOOST_TEST(error <= epsilon);

        auto both = p;
        both.columns = 30;
        both.rows = 37;
        const pair same(both);
        BOOST_TEST(difference(image_by(*same.generic, c), image_by(*same.fast, c)) <
                   std::max(0.3 * epsilon, 1e-5));
    }
}

BOOST_DATA_TEST_CASE(w_projection_is_the_sum_within_1e_3,
                     data::make(zenith_distances) * data::make({1, 0}),
                     degrees,
                     interpolate)
{
    const gridder_case c(30, 300, degrees, 2);
    auto p = image_of(300, 270, 0.3, 1e-3);
    p.how = gridder_params::method::w_projection;
    p.interpolate = interpolate;
    const double error = pixel_error(p, c);
    BOOST_TEST_MESSAGE("W-projection, zenith distance " << degrees << ", interpolate "
                                                        << interpolate << ": rms error "
                                                        << error);
    BOOST_TEST(error <= (interpolate ? 1e-3 : 0.2));
}

BOOST_DATA_TEST_CASE(planes_by_short_polynomials_follow_the_phase_of_w,
                     data::make({1e-2, 1e-3, 1e-4, 1e-5, 5e-6}),
                     epsilon)
{
    unsigned maximum = 0;
    for (int again = 0; again < 40; again++) {
        const auto p = image_of(50 + random_below(500),
                                50 + random_below(500),
                                std::pow(10, uniform(-3, 0.2)),
                                epsilon);
        const double half =
            p.columns * p.pixel_l > 1.4
                ? 0.5
                : -n_minus_1(p.columns / 2 * p.pixel_l, p.rows / 2 * p.pixel_m) / 2;
        uvw_extent e;
        e.u = e.v = 0.5 / p.pixel_l;
        e.max_w = std::pow(10, uniform(-2, 1)) / half;
        e.min_w = random_below(2) ? uniform(0, 1) * e.max_w : 0;
        e.visibilities = std::size_t(1) << random_below(24);
        const auto plan = grid_plan::make(p, e);
        const w_intervals intervals(plan, 0.2 * epsilon);
        const auto weights = intervals.weights(plan);
        maximum = std::max(maximum, intervals.terms());
        double errors = 0;
        constexpr int some = 1000;
        for (int k = 0; k < some; k++) {
            const double w = uniform(e.min_w, e.max_w),
                         n = 2 * plan.middle * uniform(0, 1);
            const auto in = interval_of((w - plan.first_w) / plan.w_step,
                                        0.5 * plan.kernel.support(),
                                        plan.nodes.count() > 0,
                                        intervals.count());
            std::complex<double> sum = 0;
            for (std::size_t plane = 0; plane < plan.depth(); plane++) {
                const auto first =
                    (std::size_t(in.interval) * es_kernel::max_support + plane) *
                    w_intervals::max_terms;
                double weight = 0;
                for (unsigned i = w_intervals::max_terms; i-- > 0;) {
                    weight = weight * in.t + double(weights[first + i]);
                }
                sum += weight * plan.w_correction(n) *
                       std::polar(1.0,
                                  -2 * M_PI * (n - plan.middle) *
                                      plan.plane_w(std::size_t(in.plane) + plane));
            }
            errors += std::norm(sum - std::polar(1.0, -2 * M_PI * (n - plan.middle) * w));
        }
        BOOST_TEST_CONTEXT(plan.planes << " planes, support " << plan.kernel.support()
                                       << ", nodes " << plan.nodes.count() << ", terms "
                                       << intervals.terms())
        {
            BOOST_TEST(std::sqrt(errors / some) <= 0.6 * epsilon);
        }
    }
    BOOST_TEST(maximum >= 2);
}

BOOST_AUTO_TEST_CASE(kernels_of_small_fields_are_products)
{
    w_kernels::choice c;
    c.planes = 3;
    const auto error = [&](double width, double w) {
        auto p = image_of(60, 64, width, 1e-3);
        p.how = gridder_params::method::w_projection;
        c.interpolate = random_below(2);
        return separable_table(w_kernels(p, c, w)).error;
    };
    BOOST_TEST(error(0.004, 1e5) <= 2e-4);
    BOOST_TEST(error(0.03, 2000) <= 2e-4);
    BOOST_TEST(error(0.4, 50) > 2e-4);
}

BOOST_AUTO_TEST_CASE(w_projection_of_all_polarizations_is_that_of_each)
{
    const gridder_case c(7, 200, 40, 3, 4);
    auto p = image_of(40, 51, 0.2, 1e-3);
    p.how = gridder_params::method::w_projection;
    p.polarizations = 4;
    const auto all = image_by(*make_gridder(backend::cpu, p), c);
    p.polarizations = 1;
    const auto g = make_gridder(backend::cpu, p);
    std::vector<float> each(all.size());
    for (std::size_t k = 0; k < 4; k++) {
        const std::size_t values = c.data.size() / 4, pixels = all.size() / 4;
        g->grid(c.at(), &c.data[k * values], &c.weights[k * values], &each[k * pixels]);
    }
    // Kernels of one polarization may be those of other visibilities, as others have weight.
    BOOST_TEST(difference(each, all) <= 2e-3);
}

BOOST_DATA_TEST_CASE(visibilities_are_the_sum_within_epsilon,
                     data::make(zenith_distances) * data::make(epsilons),
                     degrees,
                     epsilon)
{
    const gridder_case c(20, 300, degrees, 2);
    const auto p = image_of(101, 120, 0.9, epsilon);
    const auto image = random_image(p);
    const auto fast = degridded(*make_gridder(backend::cpu, p), c, image);
    auto exact = p;
    exact.how = gridder_params::method::direct;
    const auto truth = degridded(*make_gridder(backend::generic, exact), c, image);
    BOOST_TEST(rms_difference(fast, truth) <= epsilon * rms(truth));
}

BOOST_DATA_TEST_CASE(visibilities_by_w_projection_are_the_sum_within_1e_3,
                     data::make(zenith_distances),
                     degrees)
{
    const gridder_case c(20, 300, degrees, 2);
    auto p = image_of(101, 120, 0.3, 1e-3);
    const auto image = random_image(p);
    p.how = gridder_params::method::w_projection;
    const auto fast = degridded(*make_gridder(backend::cpu, p), c, image);
    p.how = gridder_params::method::direct;
    const auto truth = degridded(*make_gridder(backend::generic, p), c, image);
    BOOST_TEST_MESSAGE("W-projection, zenith distance "
                       << degrees << ": rms error of visibilities "
                       << rms_difference(fast, truth) / rms(truth));
    BOOST_TEST(rms_difference(fast, truth) <= 1e-3 * rms(truth));
}

BOOST_AUTO_TEST_CASE(the_whole_sky_and_what_lies_below_it)
{
    for (const double width : {2.0, 2.6}) {
        const gridder_case c(12, 60, 20, 2);
        const auto p = image_of(151, 151, width, 1e-4);
        const auto separable = image_by(*make_gridder(backend::cpu, p), c);
        auto exact = p;
        exact.how = gridder_params::method::direct;
        const auto direct = image_by(*make_gridder(backend::generic, exact), c);
        BOOST_TEST(rms_difference(separable, direct) <= 1e-4 * rms(direct));
        for (const std::size_t corner : {std::size_t(0), separable.size() - 1}) {
            BOOST_TEST(separable[corner] == 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(pixels_coarser_than_the_array_resolves)
{
    const gridder_case c(12, 3000, 10, 2);
    auto p = image_of(64, 48, 0.8, 1e-4);
    for (const bool w_term : {true, false}) {
        p.w_term = w_term;
        p.how = gridder_params::method::separable;
        const auto separable = image_by(*make_gridder(backend::cpu, p), c);
        p.how = gridder_params::method::direct;
        const auto direct = image_by(*make_gridder(backend::generic, p), c);
        BOOST_TEST(rms_difference(separable, direct) <= 1e-4 * rms(direct));
    }
}

BOOST_DATA_TEST_CASE(gridding_and_degridding_are_adjoint,
                     data::make(operators) * data::make(zenith_distances),
                     op,
                     degrees)
{
    gridder_case c(7, 200, degrees, 3);
    c.weights.assign(c.weights.size(), 1);
    for (auto& v : c.data) {
        v = std::isfinite(v.real()) ? v : 0;
    }
    // A small image with a large w would need a grid without end.
    const double width = op.how == gridder_params::method::w_projection ? 0.12 : 0.7;
    auto p = image_of(33 + random_below(9), 40 + random_below(9), width, 1e-3);
    p.how = op.how;
    const auto g = make_gridder(op.which, p);
    const auto image = random_image(p);
    const auto to_image = image_by(*g, c);
    const auto to_data = degridded(*g, c, image);
    double left = 0, right = 0, size = 0;
    for (std::size_t k = 0; k < image.size(); k++) {
        left += double(to_image[k]) * double(image[k]);
        size += std::pow(double(to_image[k]), 2);
    }
    for (std::size_t k = 0; k < c.data.size(); k++) {
        right += double(c.data[k].real()) * double(to_data[2 * k]) +
                 double(c.data[k].imag()) * double(to_data[2 * k + 1]);
    }
    BOOST_TEST(std::abs(left - right) <=
               1e-5 * std::sqrt(size) * rms(image) * std::sqrt(double(image.size())));
}

BOOST_AUTO_TEST_CASE(image_is_the_same_bits_in_parts_or_not_at_all_without_weight)
{
    gridder_case c(9, 100, 40, 3);
    const auto p = image_of(40, 44, 0.5, 1e-3);
    const auto g = make_gridder(backend::cpu, p);
    const auto first = image_by(*g, c), other = image_by(*g, c);
    BOOST_TEST((first == other));
    c.weights.assign(c.weights.size(), 0);
    for (auto& x : c.uvw) {
        x = std::nan("");
    }
    const auto none = image_by(*g, c);
    BOOST_TEST(rms(none) == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_in_a_sentence)
{
    const auto says = [](const std::string& words) {
        return [words](const std::invalid_argument& e) {
            return std::string(e.what()).find(words) != std::string::npos;
        };
    };
    auto p = image_of(16, 16, 0.5, 1e-3);
    p.columns = 0;
    BOOST_CHECK_EXCEPTION(
        make_gridder(backend::cpu, p), std::invalid_argument, says("columns is 0"));
    p = image_of(16, 16, 0.5, 1e-9);
    BOOST_CHECK_EXCEPTION(
        make_gridder(backend::cpu, p), std::invalid_argument, says("single precision"));
    p = image_of(16, 16, 0.5, 1e-3);
    p.polarizations = 3;
    BOOST_CHECK_EXCEPTION(
        make_gridder(backend::cpu, p), std::invalid_argument, says("polarizations is 3"));
    p.polarizations = 1;
    p.pixel_m = -1;
    BOOST_CHECK_EXCEPTION(
        make_gridder(backend::cpu, p), std::invalid_argument, says("pixel_m"));
    BOOST_CHECK_EXCEPTION(gridder_method_from_name("romein"),
                          std::invalid_argument,
                          says("separable, w_projection or direct"));
    {
        const gridder_case wide(5, 300, 60, 1);
        p = image_of(64, 64, 0.3, 1e-3);
        p.how = gridder_params::method::w_projection;
        p.support = 7;
        BOOST_CHECK_EXCEPTION(
            make_gridder(backend::cpu, p), std::invalid_argument, says("support is 7"));
        p.support = 8;
        BOOST_CHECK_EXCEPTION(image_by(*make_gridder(backend::cpu, p), wide),
                              std::invalid_argument,
                              says("need kernels of a support of "));
        p = image_of(64, 64, 1.2, 1e-3);
        p.how = gridder_params::method::w_projection;
        BOOST_CHECK_EXCEPTION(image_by(*make_gridder(backend::cpu, p), wide),
                              std::invalid_argument,
                              says("more than 128 cells; take a smaller image"));
    }
    p = image_of(16, 16, 0.5, 1e-3);
    gridder_case c(3, 100, 0, 1);
    c.uvw[4] = std::nan("");
    c.weights.assign(c.weights.size(), 1);
    const auto g = make_gridder(backend::cpu, image_of(16, 16, 0.5, 1e-3));
    BOOST_CHECK_EXCEPTION(image_by(*g, c), std::invalid_argument, says("row 1"));
}
