/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_OVERLAP_SAVE_H
#define INCLUDED_FRINGE_TESTS_COMPARE_OVERLAP_SAVE_H

#include "fast_kernels.h"
#include "kernels/overlap_save/overlap_save.h"
#include <gnuradio/fringe/threads.h>

// Filters in time, generic against fast ones.
namespace kernel_cases {

inline std::vector<std::complex<float>> complex_noise(std::size_t count)
{
    const auto noise = random_components(component::f32, 2 * count);
    std::vector<std::complex<float>> out(count);
    std::memcpy(static_cast<void*>(out.data()), noise.data(), noise.size());
    return out;
}

inline bytes filtered_by(overlap_save& with,
                         bool there,
                         std::size_t first,
                         std::size_t rows,
                         std::size_t beams,
                         std::size_t samples,
                         const bytes& in,
                         std::size_t in_stride,
                         std::size_t out_stride)
{
    using value = std::complex<float>;
    bytes out(rows * beams * out_stride * sizeof(value), poison);
    if (there) {
        const on_device from(in.data(), in.size()), to(out.data(), out.size());
        with.filter(first,
                    rows,
                    beams,
                    samples,
                    {from.get<value>(), in_stride},
                    {to.get<value>(), out_stride});
        to.back(out.data());
    } else {
        with.filter(first,
                    rows,
                    beams,
                    samples,
                    {reinterpret_cast<const value*>(in.data()), in_stride},
                    {reinterpret_cast<value*>(out.data()), out_stride});
    }
    return out;
}

inline void compare_overlap_save(double tolerance, const overlap_save_params& p)
{
    if (is_of_another_part()) {
        return;
    }
    using value = std::complex<float>;
    const auto filters = complex_noise(p.rows * p.points);
    const auto reference = make_overlap_save(backend::generic, p, filters.data());
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_overlap_save(tested().which, p, filters.data());
    const auto of_host = make_overlap_save_of_host(tested().which, p, filters.data());
    const bool there = tested().which.kind == backend::cuda;
    for (int call = 0; call < 3; call++) {
        const std::size_t first = random_below(p.rows), beams = 1 + random_below(3);
        const std::size_t rows = random_below(p.rows - first + 1);
        const std::size_t samples = random_below(6 * p.points);
        const std::size_t in_stride = samples + random_below(5);
        const std::size_t made = p.made_of(samples), stride = made + random_below(5);
        const std::size_t width = sizeof(value);
        auto in = random_components(component::f32, 2 * rows * beams * in_stride);
        for (std::size_t k = 0; k < rows * beams; k++) { // what is not to be read
            std::memset(in.data() + (k * in_stride + samples) * width,
                        poison,
                        (in_stride - samples) * width);
        }
        const auto run = [&](overlap_save& with, bool on) {
            return filtered_by(
                with, on, first, rows, beams, samples, in, in_stride, stride);
        };
        const bytes expected = run(*reference, false);
        for (const bytes& got : {run(*fast, there), run(*of_host, false)}) {
            double off = 0;
            bool kept = true;
            for (std::size_t k = 0; k < rows * beams; k++) {
                for (std::size_t n = 2 * k * stride; n < 2 * (k * stride + made); n++) {
                    // A value that is not a number is none that is smaller.
                    const double apart =
                        std::abs(component_at(expected, component::f32, n) -
                                 component_at(got, component::f32, n));
                    off = off >= apart ? off : apart;
                }
                kept = kept && all_poison(got.data() + (k * stride + made) * width,
                                          (stride - made) * width);
            }
            // Of the rms of a sum of `points` products.
            BOOST_TEST(off <= tolerance);
            BOOST_TEST(kept);
        }
    }
}

inline void overlap_saves(double tolerance)
{
    for (const std::size_t points : {1, 2, 7, 96, 210, 1024, 2187, 4096}) {
        overlap_save_params p;
        p.rows = 1 + random_below(4);
        p.points = points;
        p.past = random_below(points);
        p.future = random_below(points - p.past);
        compare_overlap_save(tolerance, p);
    }
    overlap_save_params all; // nothing is left to make
    all.points = 8;
    all.past = 5;
    all.future = 3;
    const auto filters = complex_noise(8);
    BOOST_CHECK_THROW(make_overlap_save(tested().which, all, filters.data()),
                      std::invalid_argument);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_OVERLAP_SAVE_H */
