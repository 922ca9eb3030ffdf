/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/cuda/convolution.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/cuda/transposed.cuh"

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

struct sides {
    unsigned columns, rows, padded_columns, padded_rows;
};

//! An image as lines with zeros behind each. centered: column columns / 2 comes first, and what
//! lies before it at the end.
__global__ void pad_rows(sides s, const float* image, bool centered, float2* lines)
{
    const unsigned shift = centered ? s.columns / 2 : 0;
    const float* from = image + std::size_t(blockIdx.x) * s.columns;
    float2* to = lines + std::size_t(blockIdx.x) * s.padded_columns;
    for (unsigned k = threadIdx.x; k < s.padded_columns; k += blockDim.x) {
        const unsigned at =
            k + shift < s.padded_columns ? k + shift : k + shift - s.padded_columns;
        to[k] = make_float2(at < s.columns ? from[at] : 0, 0);
    }
}

//! Lines to columns with zeros behind each, or with row rows / 2 first.
struct line_to_column {
    sides s;
    bool centered;
    const float2* lines;
    float2* columns;
    __device__ float2 operator()(unsigned column, unsigned y, unsigned) const
    {
        const unsigned shift = centered ? s.rows / 2 : 0;
        const unsigned row =
            y + shift < s.padded_rows ? y + shift : y + shift - s.padded_rows;
        return row < s.rows ? lines[std::size_t(row) * s.padded_columns + column]
                            : make_float2(0, 0);
    }
    __device__ void operator()(unsigned column, unsigned y, unsigned, float2 value) const
    {
        columns[std::size_t(column) * s.padded_rows + y] = value;
    }
};

struct column_to_line {
    sides s;
    const float2* columns;
    float2* lines;
    __device__ float2 operator()(unsigned row, unsigned column, unsigned) const
    {
        return columns[std::size_t(column) * s.padded_rows + row];
    }
    __device__ void
    operator()(unsigned row, unsigned column, unsigned, float2 value) const
    {
        lines[std::size_t(row) * s.padded_columns + column] = value;
    }
};

//! a = conj(a b) scale: the backward transform is the conjugate of the forward one of it.
__global__ void multiply(const float2* b, std::size_t count, float scale, float2* a)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < count;
         k += std::size_t(gridDim.x) * blockDim.x) {
        const float2 x = a[k], y = b[k];
        a[k] = make_float2(scale * (x.x * y.x - x.y * y.y),
                           -scale * (x.x * y.y + x.y * y.x));
    }
}

__global__ void subtract_rows(sides s, const float2* lines, float* image)
{
    const float2* from = lines + std::size_t(blockIdx.x) * s.padded_columns;
    float* to = image + std::size_t(blockIdx.x) * s.columns;
    for (unsigned k = threadIdx.x; k < s.columns; k += blockDim.x) {
        to[k] -= from[k].x;
    }
}

sides sides_of(const image_size& size, const image_size& padded)
{
    return {unsigned(size.columns),
            unsigned(size.rows),
            unsigned(padded.columns),
            unsigned(padded.rows)};
}

} // namespace

cuda_convolution::cuda_convolution(const cuda_context& c,
                                   const image_size& size,
                                   const float* psf)
    : d_context(c),
      d_size(size),
      d_padded{quick_length(double(size.columns + size.columns / 2 + 1)),
               quick_length(double(size.rows + size.rows / 2 + 1))},
      d_lines(c, size.rows * d_padded.columns),
      d_columns(c, d_padded.pixels()),
      d_kernel(c, d_padded.pixels()),
      d_rows(c, d_padded.columns, size.rows),
      d_down(c, d_padded.rows, d_padded.columns)
{
    const auto s = sides_of(d_size, d_padded);
    along_rows(psf, true);
    transposed::run(s.padded_columns,
                    s.padded_rows,
                    1,
                    line_to_column{s, true, d_lines.data(), d_kernel.data()},
                    d_context.compute);
    d_down.run(d_kernel.data());
}

void cuda_convolution::along_rows(const float* image, bool centered)
{
    d_context.use();
    pad_rows<<<unsigned(d_size.rows), threads, 0, d_context.compute>>>(
        sides_of(d_size, d_padded), image, centered, d_lines.data());
    check_launch("padding rows");
    d_rows.run(d_lines.data());
}

void cuda_convolution::subtract(const float* components, float* image)
{
    const auto s = sides_of(d_size, d_padded);
    along_rows(components, false);
    transposed::run(s.padded_columns,
                    s.padded_rows,
                    1,
                    line_to_column{s, false, d_lines.data(), d_columns.data()},
                    d_context.compute);
    d_down.run(d_columns.data());
    multiply<<<8 * unsigned(d_context.multiprocessors), threads, 0, d_context.compute>>>(
        d_kernel.data(),
        d_padded.pixels(),
        1 / float(d_padded.pixels()),
        d_columns.data());
    check_launch("multiplying transforms");
    d_down.run(d_columns.data());
    transposed::run(s.rows,
                    s.padded_columns,
                    1,
                    column_to_line{s, d_columns.data(), d_lines.data()},
                    d_context.compute);
    d_rows.run(d_lines.data());
    subtract_rows<<<unsigned(d_size.rows), threads, 0, d_context.compute>>>(
        s, d_lines.data(), image);
    check_launch("subtracting rows");
}

} // namespace gr::fringe::kernels
