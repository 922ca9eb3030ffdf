/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/convolution.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <fftw3.h>
#include <mutex>
#include <stdexcept>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t at_once = 8; // columns: a cache line of complex numbers
constexpr std::size_t rows_a_part = 16;

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

fftwf_complex* waves(std::complex<float>* values)
{
    return reinterpret_cast<fftwf_complex*>(values);
}

FRINGE_SIMD void
multiply(const std::complex<float>* factors, std::size_t count, std::complex<float>* to)
{
    const auto a = reinterpret_cast<const float*>(factors);
    const auto b = reinterpret_cast<float*>(to);
    for (std::size_t k = 0; k < count; k++) {
        const float re = a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1];
        b[2 * k + 1] = a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k];
        b[2 * k] = re;
    }
}

FRINGE_SIMD void
multiply(const float* factors, std::size_t count, std::complex<float>* to)
{
    const auto b = reinterpret_cast<float*>(to);
    for (std::size_t k = 0; k < count; k++) {
        b[2 * k] *= factors[k];
        b[2 * k + 1] *= factors[k];
    }
}

FRINGE_SIMD void add_line(const float* from, std::size_t count, float factor, float* to)
{
    for (std::size_t k = 0; k < count; k++) {
        to[k] += factor * from[k];
    }
}

} // namespace

image_convolution::image_convolution(const image_size& image, const image_size& largest)
    : d_workers(workers::shared()),
      d_image(image),
      d_padded(padded(image, largest)),
      d_waves(d_padded.columns / 2 + 1),
      d_blocks((d_waves + at_once - 1) / at_once),
      // Not a power of two, so that columns do not share sets of the cache.
      d_pitch((d_padded.rows / at_once / 2 * 2 + 3) * at_once),
      d_lines(d_blocks * image.rows * at_once),
      d_scratch(d_workers->slots())
{
    static std::once_flag once;
    std::call_once(once, [] { fftwf_make_planner_thread_safe(); });
    for (auto& s : d_scratch) {
        s.line.resize(d_padded.columns);
        s.waves.resize(d_blocks * at_once);
        s.columns.resize(at_once * d_pitch);
    }
    auto& s = d_scratch[0];
    const int columns = int(d_padded.columns), rows = int(d_padded.rows);
    const auto column = waves(s.columns.data()), line = waves(s.waves.data());
    d_along = checked(fftwf_plan_dft_r2c_1d(columns, s.line.data(), line, FFTW_ESTIMATE));
    d_back_along =
        checked(fftwf_plan_dft_c2r_1d(columns, line, s.line.data(), FFTW_ESTIMATE));
    d_down =
        checked(fftwf_plan_dft_1d(rows, column, column, FFTW_FORWARD, FFTW_ESTIMATE));
    d_up = checked(fftwf_plan_dft_1d(rows, column, column, FFTW_BACKWARD, FFTW_ESTIMATE));
}

image_convolution::image_convolution(const image_size& image,
                                     const image_size& size_of_kernel,
                                     const float* values)
    : image_convolution(image, size_of_kernel)
{
    d_kernel = transformed(size_of_kernel, values);
}

image_convolution::~image_convolution()
{
    for (void* plan : {d_along, d_back_along, d_down, d_up}) {
        fftwf_destroy_plan(static_cast<fftwf_plan>(plan));
    }
}

//! Calls keep(where its values begin in the transform, column) for each column.
template <class F>
void image_convolution::each_kernel_column(const image_size& size,
                                           const float* values,
                                           const F& keep)
{
    // The middle of the kernel is at (0, 0), and what lies before it at the other end. The part
    // of a kernel that is larger than the image meets no pixel twice: what does not fit into the
    // padded image is out of reach.
    const std::size_t mr = size.rows / 2, mc = size.columns / 2;
    const auto place = [](std::size_t k, std::size_t middle, std::size_t n) {
        return (k + n - middle) % n;
    };
    const std::size_t first = mr - std::min(mr, d_image.rows - 1);
    const std::size_t left = mc - std::min(mc, d_image.columns - 1);
    const std::size_t last = std::min(size.rows, mr + d_image.rows);
    const std::size_t right = std::min(size.columns, mc + d_image.columns);
    std::vector<const float*> rows(d_padded.rows, nullptr);
    for (std::size_t r = first; r < last; r++) {
        rows[place(r, mr, d_padded.rows)] = values + r * size.columns;
    }
    aligned_vector<complex> lines(d_blocks * d_padded.rows * at_once);
    along_rows(d_padded.rows, lines, [&](std::size_t r, float* line) {
        for (std::size_t c = left; rows[r] && c < right; c++) {
            line[place(c, mc, d_padded.columns)] = rows[r][c];
        }
        return rows[r] != nullptr;
    });
    each_column(d_padded.rows, lines, [&](std::size_t number, const complex* column) {
        keep(number * d_padded.rows, column);
    });
}

image_convolution::kernel image_convolution::transformed(const image_size& size,
                                                         const float* values)
{
    kernel k;
    k.values.resize(d_waves * d_padded.rows);
    each_kernel_column(size, values, [&](std::size_t first, const complex* column) {
        std::copy_n(column, d_padded.rows, &k.values[first]);
    });
    return k;
}

image_convolution::kernel image_convolution::transformed_even(const image_size& size,
                                                              const float* values)
{
    kernel k;
    k.real.resize(d_waves * d_padded.rows);
    each_kernel_column(size, values, [&](std::size_t first, const complex* column) {
        for (std::size_t r = 0; r < d_padded.rows; r++) {
            k.real[first + r] = column[r].real();
        }
    });
    return k;
}

//! Transforms rows that load(row, line) has put into a line of zeros; it returns whether there
//! is one. lines: [block of columns][row][column].
template <class F>
void image_convolution::along_rows(std::size_t rows,
                                   aligned_vector<complex>& lines,
                                   const F& load)
{
    const std::size_t parts = (rows + rows_a_part - 1) / rows_a_part;
    d_workers->run(parts, [&](std::size_t part, unsigned slot) {
        auto& s = d_scratch[slot];
        const std::size_t end = std::min(rows, (part + 1) * rows_a_part);
        for (std::size_t r = part * rows_a_part; r < end; r++) {
            std::fill(s.line.begin(), s.line.end(), 0.f);
            if (!load(r, s.line.data())) {
                continue; // it is 0 already
            }
            fftwf_execute_dft_r2c(
                static_cast<fftwf_plan>(d_along), s.line.data(), waves(s.waves.data()));
            for (std::size_t b = 0; b < d_blocks; b++) {
                std::copy_n(
                    &s.waves[b * at_once], at_once, &lines[(b * rows + r) * at_once]);
            }
        }
    });
}

//! Transforms columns and calls change(number, column).
template <class F>
void image_convolution::each_column(std::size_t rows,
                                    aligned_vector<complex>& lines,
                                    const F& change)
{
    d_workers->run(d_blocks, [&](std::size_t b, unsigned slot) {
        auto& columns = d_scratch[slot].columns;
        complex* const block = &lines[b * rows * at_once];
        const std::size_t count = std::min(at_once, d_waves - b * at_once);
        for (std::size_t r = 0; r < rows; r++) {
            for (std::size_t k = 0; k < count; k++) {
                columns[k * d_pitch + r] = block[r * at_once + k];
            }
        }
        for (std::size_t k = 0; k < count; k++) {
            complex* const column = &columns[k * d_pitch];
            std::fill(column + rows, column + d_padded.rows, complex());
            fftwf_execute_dft(
                static_cast<fftwf_plan>(d_down), waves(column), waves(column));
            change(b * at_once + k, column);
        }
        for (std::size_t r = 0; r < rows; r++) {
            for (std::size_t k = 0; k < count; k++) {
                block[r * at_once + k] = columns[k * d_pitch + r];
            }
        }
    });
}

void image_convolution::add(const float* in,
                            std::initializer_list<const kernel*> kernels,
                            double factor,
                            float* out)
{
    along_rows(d_image.rows, d_lines, [&](std::size_t r, float* line) {
        std::copy_n(in + r * d_image.columns, d_image.columns, line);
        return true;
    });
    each_column(d_image.rows, d_lines, [&](std::size_t number, complex* column) {
        const std::size_t first = number * d_padded.rows;
        for (const kernel* k : kernels) {
            if (k->real.empty()) {
                multiply(&k->values[first], d_padded.rows, column);
            } else {
                multiply(&k->real[first], d_padded.rows, column);
            }
        }
        fftwf_execute_dft(static_cast<fftwf_plan>(d_up), waves(column), waves(column));
    });
    const float scale = float(factor / double(d_padded.pixels()));
    const std::size_t parts = (d_image.rows + rows_a_part - 1) / rows_a_part;
    d_workers->run(parts, [&](std::size_t part, unsigned slot) {
        auto& s = d_scratch[slot];
        const std::size_t end = std::min(d_image.rows, (part + 1) * rows_a_part);
        for (std::size_t r = part * rows_a_part; r < end; r++) {
            for (std::size_t b = 0; b < d_blocks; b++) {
                std::copy_n(&d_lines[(b * d_image.rows + r) * at_once],
                            at_once,
                            &s.waves[b * at_once]);
            }
            fftwf_execute_dft_c2r(static_cast<fftwf_plan>(d_back_along),
                                  waves(s.waves.data()),
                                  s.line.data());
            add_line(s.line.data(), d_image.columns, scale, out + r * d_image.columns);
        }
    });
}

} // namespace gr::fringe::kernels
