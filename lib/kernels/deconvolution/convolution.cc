/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/convolution.h"
#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <fftw3.h>
#include <mutex>
#include <stdexcept>

namespace gr::fringe::kernels {

namespace {

// Distances between two pixels of the image reach the kernel's half width beyond its sides
// before they come round to the other side.
image_size padded(const image_size& image, const image_size& kernel)
{
    return {quick_length(double(image.columns + kernel.columns / 2 + 1)),
            quick_length(double(image.rows + kernel.rows / 2 + 1))};
}

void* checked(void* plan)
{
    if (!plan) {
        throw std::runtime_error("CLEAN: FFTW has no plan for an image of this size");
    }
    return plan;
}

} // namespace

image_convolution::image_convolution(const image_size& image,
                                     const image_size& size_of_kernel,
                                     const float* kernel)
    : d_image(image),
      d_padded(padded(image, size_of_kernel)),
      d_pitch(2 * (d_padded.columns / 2 + 1)),
      d_kernel(d_padded.rows * d_pitch / 2),
      d_buffer(d_kernel.size())
{
    static std::once_flag once;
    std::call_once(once, [] { fftwf_make_planner_thread_safe(); });
    const int columns = int(d_padded.columns), rows = int(d_padded.rows);
    const auto waves = reinterpret_cast<fftwf_complex*>(d_buffer.data());
    d_forward =
        checked(fftwf_plan_dft_r2c_2d(rows, columns, row(0), waves, FFTW_ESTIMATE));
    d_backward =
        checked(fftwf_plan_dft_c2r_2d(rows, columns, waves, row(0), FFTW_ESTIMATE));

    clear();
    const auto place = [](std::size_t k, std::size_t middle, std::size_t n) {
        return (k + n - middle) % n;
    };
    // The part of a kernel that is larger than the image meets no pixel twice: what does not
    // fit into the padded image is out of reach.
    const auto fits = [](std::size_t k, std::size_t middle, std::size_t reach) {
        return k < middle ? middle - k < reach : k - middle < reach;
    };
    for (std::size_t r = 0; r < size_of_kernel.rows; r++) {
        const std::size_t mr = size_of_kernel.rows / 2, mc = size_of_kernel.columns / 2;
        if (!fits(r, mr, image.rows)) {
            continue;
        }
        for (std::size_t c = 0; c < size_of_kernel.columns; c++) {
            if (fits(c, mc, image.columns)) {
                row(place(r, mr, d_padded.rows))[place(c, mc, d_padded.columns)] =
                    kernel[r * size_of_kernel.columns + c];
            }
        }
    }
    fftwf_execute(static_cast<fftwf_plan>(d_forward));
    const float scale = 1.0f / float(d_padded.pixels());
    for (std::size_t k = 0; k < d_kernel.size(); k++) {
        d_kernel[k] = d_buffer[k] * scale;
    }
}

image_convolution::~image_convolution()
{
    fftwf_destroy_plan(static_cast<fftwf_plan>(d_forward));
    fftwf_destroy_plan(static_cast<fftwf_plan>(d_backward));
}

float* image_convolution::row(std::size_t r)
{
    return reinterpret_cast<float*>(d_buffer.data()) + r * d_pitch;
}

void image_convolution::clear()
{
    std::fill(d_buffer.begin(), d_buffer.end(), std::complex<float>());
}

void image_convolution::add(const float* in, double factor, float* out)
{
    clear();
    for (std::size_t r = 0; r < d_image.rows; r++) {
        std::copy_n(in + r * d_image.columns, d_image.columns, row(r));
    }
    fftwf_execute(static_cast<fftwf_plan>(d_forward));
    for (std::size_t k = 0; k < d_kernel.size(); k++) {
        const auto a = d_buffer[k], b = d_kernel[k];
        d_buffer[k] = {a.real() * b.real() - a.imag() * b.imag(),
                       a.real() * b.imag() + a.imag() * b.real()};
    }
    fftwf_execute(static_cast<fftwf_plan>(d_backward));
    for (std::size_t r = 0; r < d_image.rows; r++) {
        const float* from = row(r);
        float* to = out + r * d_image.columns;
        for (std::size_t c = 0; c < d_image.columns; c++) {
            to[c] += float(factor) * from[c];
        }
    }
}

} // namespace gr::fringe::kernels
