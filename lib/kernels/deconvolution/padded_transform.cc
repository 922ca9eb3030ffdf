/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/padded_transform.h"
#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <fftw3.h>
#include <mutex>
#include <stdexcept>

namespace gr::fringe::kernels {

namespace {

void* checked(void* plan)
{
    if (!plan) {
        throw std::runtime_error("CLEAN: FFTW has no plan for an image of this size");
    }
    return plan;
}

fftwf_complex* waves(padded_transform::buffer& b)
{
    return reinterpret_cast<fftwf_complex*>(b.data());
}

std::size_t wrapped(long k, std::size_t n)
{
    return std::size_t(k < 0 ? k + long(n) : k);
}

} // namespace

padded_transform::padded_transform(const image_size& image, std::size_t reach)
    : d_image(image),
      d_padded{quick_length(double(image.columns + reach)),
               quick_length(double(image.rows + reach))},
      d_pitch(2 * (d_padded.columns / 2 + 1))
{
    static std::once_flag once;
    std::call_once(once, [] { fftwf_make_planner_thread_safe(); });
    const int columns = int(d_padded.columns), rows = int(d_padded.rows);
    buffer b = make_buffer();
    d_forward =
        checked(fftwf_plan_dft_r2c_2d(rows, columns, row(b, 0), waves(b), FFTW_ESTIMATE));
    d_backward =
        checked(fftwf_plan_dft_c2r_2d(rows, columns, waves(b), row(b, 0), FFTW_ESTIMATE));
}

padded_transform::~padded_transform()
{
    fftwf_destroy_plan(static_cast<fftwf_plan>(d_forward));
    fftwf_destroy_plan(static_cast<fftwf_plan>(d_backward));
}

void padded_transform::forward(const float* image, buffer& to) const
{
    std::fill(to.begin(), to.end(), std::complex<float>());
    for (std::size_t r = 0; r < d_image.rows; r++) {
        std::copy_n(image + r * d_image.columns, d_image.columns, row(to, r));
    }
    fftwf_execute_dft_r2c(static_cast<fftwf_plan>(d_forward), row(to, 0), waves(to));
}

void padded_transform::forward_kernel(const image_size& size,
                                      const float* kernel,
                                      buffer& to) const
{
    std::fill(to.begin(), to.end(), std::complex<float>());
    const long half_rows = long(d_padded.rows / 2),
               half_columns = long(d_padded.columns / 2);
    for (std::size_t r = 0; r < size.rows; r++) {
        const long y = long(r) - long(size.rows / 2);
        for (std::size_t c = 0; c < size.columns; c++) {
            const long x = long(c) - long(size.columns / 2);
            if (std::abs(y) < half_rows && std::abs(x) < half_columns) {
                row(to, wrapped(y, d_padded.rows))[wrapped(x, d_padded.columns)] =
                    kernel[r * size.columns + c];
            }
        }
    }
    fftwf_execute_dft_r2c(static_cast<fftwf_plan>(d_forward), row(to, 0), waves(to));
}

void padded_transform::backward(buffer& b) const
{
    fftwf_execute_dft_c2r(static_cast<fftwf_plan>(d_backward), waves(b), row(b, 0));
}

void padded_transform::add(buffer& from, double factor, float* image) const
{
    backward(from);
    const float scale = float(factor / double(d_padded.pixels()));
    for (std::size_t r = 0; r < d_image.rows; r++) {
        const float* values = row(from, r);
        float* to = image + r * d_image.columns;
        for (std::size_t c = 0; c < d_image.columns; c++) {
            to[c] += scale * values[c];
        }
    }
}

void padded_transform::plane(buffer& from) const
{
    backward(from);
    const float scale = 1 / float(d_padded.pixels());
    for (auto& value : from) {
        value *= scale;
    }
}

float padded_transform::at(const buffer& plane, long row, long column) const
{
    const float* values = reinterpret_cast<const float*>(plane.data());
    return values[wrapped(row, d_padded.rows) * d_pitch +
                  wrapped(column, d_padded.columns)];
}

} // namespace gr::fringe::kernels
