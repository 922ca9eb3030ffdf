/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_SEPARABLE_H
#define INCLUDED_FRINGE_TESTS_COMPARE_SEPARABLE_H

#include "fast_kernels.h"
#include "gridder_cases.h"

// The separable gridder, generic against fast ones, from the host's memory to it.
namespace kernel_cases {

//! Images and visibilities by kernels of every support, with planes in w and without.
inline void compare_separable(double epsilon)
{
    if (is_of_another_part()) {
        return;
    }
    auto p = image_of(
        20 + random_below(60), 20 + random_below(60), uniform(0.05, 1.2), epsilon);
    p.polarizations = pick({1, 2, 4});
    p.w_term = random_below(3) > 0;
    const gridder_case c(2 + random_below(7),
                         uniform(10, 200),
                         random_below(3) ? uniform(0, 80) : 0, // 0: w has a short range
                         1 + random_below(9),
                         p.polarizations);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto generic = make_gridder(backend::generic, p);
    const auto fast = make_gridder(tested().which, p);
    const auto image = image_by(*generic, c), other = image_by(*fast, c);
    BOOST_TEST(rms_difference(image, other) <= epsilon * rms(image));
    // A second image is added to the first.
    auto twice = other;
    fast->grid(c.at(), c.data.data(), c.weights.data(), twice.data());
    for (auto& pixel : twice) {
        pixel /= 2;
    }
    BOOST_TEST(rms_difference(image, twice) <= epsilon * rms(image));
    std::vector<std::complex<float>> first(c.data.size(), std::nanf("")), second(first);
    generic->degrid(c.at(), image.data(), first.data());
    fast->degrid(c.at(), image.data(), second.data());
    BOOST_TEST(rms_difference(first, second) <= epsilon * rms(first));
}

inline void separables(double coarsest)
{
    for (const double epsilon : {coarsest, 1e-3, 1e-4, 1e-5, 5e-6}) {
        for (unsigned again = 0; again < times_tried(2, 4); again++) {
            BOOST_TEST_CONTEXT("epsilon " << epsilon) { compare_separable(epsilon); }
        }
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_SEPARABLE_H */
