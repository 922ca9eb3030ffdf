/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/fft.h"
#include "kernels/base/aligned.h"
#include "kernels/channelizer/wisdom.h"
#include <fftw3.h>
#include <mutex>
#include <stdexcept>
#include <string>

namespace gr::fringe::kernels {

namespace {

// FFTW's planner (unlike its execution) is not safe to call from two threads, and GNU
// Radio's own blocks call it too: so the lock is FFTW's, not ours.
void make_planner_thread_safe()
{
    static std::once_flag once;
    std::call_once(once, [] {
        fftwf_make_planner_thread_safe();
        fftw_make_planner_thread_safe();
    });
}

template <class Plan>
Plan checked(Plan plan, std::size_t points)
{
    if (!plan) {
        throw std::runtime_error("channelizer: FFTW has no plan for a transform of " +
                                 std::to_string(points) + " points");
    }
    return plan;
}

} // namespace

transform_f32::transform_f32(std::size_t points, bool complex_samples)
    : d_complex(complex_samples), d_plan(nullptr)
{
    if (takes_apart(points, complex_samples)) {
        d_wide.emplace(d_complex ? points : points / 2);
        if (!d_complex) {
            d_bins.emplace(points / 2);
        }
        return;
    }
    // Plans depend on the alignment of the arrays, so they are made with arrays such as
    // they will run on.
    aligned_vector<float> in(2 * points);
    aligned_vector<std::complex<float>> out(points + 1);
    const auto to = reinterpret_cast<fftwf_complex*>(out.data());
    const int n = static_cast<int>(points);
    make_planner_thread_safe();
    d_plan = checked(measured_plan([&](unsigned flags) -> void* {
                         const auto from = reinterpret_cast<fftwf_complex*>(in.data());
                         return d_complex
                                    ? fftwf_plan_dft_1d(n, from, to, FFTW_FORWARD, flags)
                                    : fftwf_plan_dft_r2c_1d(n, in.data(), to, flags);
                     }),
                     points);
}

bool transform_f32::takes_apart(std::size_t points, bool complex_samples)
{
    return wide_transform::is_fast() &&
           (complex_samples ? wide_transform::serves(points)
                            : points % 2 == 0 && wide_transform::serves(points / 2));
}

transform_f32::~transform_f32()
{
    if (d_plan) {
        fftwf_destroy_plan(static_cast<fftwf_plan>(d_plan));
    }
}

void transform_f32::run(float* in, std::complex<float>* out, bool apart) const
{
    if (d_wide) {
        d_wide->run(in, apart, out);
        if (d_bins) {
            d_bins->make(out);
        }
        return;
    }
    const auto plan = static_cast<fftwf_plan>(d_plan);
    const auto to = reinterpret_cast<fftwf_complex*>(out);
    if (d_complex) {
        fftwf_execute_dft(plan, reinterpret_cast<fftwf_complex*>(in), to);
    } else {
        fftwf_execute_dft_r2c(plan, in, to);
    }
}

transform_f64::transform_f64(std::size_t points)
{
    aligned_vector<std::complex<double>> data(points);
    const auto at = reinterpret_cast<fftw_complex*>(data.data());
    make_planner_thread_safe();
    // FFTW_ESTIMATE: the same plan, hence the same bits, everywhere.
    d_plan = checked(
        fftw_plan_dft_1d(static_cast<int>(points), at, at, FFTW_FORWARD, FFTW_ESTIMATE),
        points);
}

transform_f64::~transform_f64() { fftw_destroy_plan(static_cast<fftw_plan>(d_plan)); }

void transform_f64::run(std::complex<double>* data) const
{
    const auto at = reinterpret_cast<fftw_complex*>(data);
    fftw_execute_dft(static_cast<fftw_plan>(d_plan), at, at);
}

} // namespace gr::fringe::kernels
