/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/gridder/wprojection/cuda/transposed.cuh"
#include "kernels/gridder/wprojection/device.h"

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

//! One polarization out of [cell][polarization], or into it.
__global__ void
take_kernel(const float2* grid, std::size_t cells, unsigned stride, float2* lines)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < cells;
         k += std::size_t(gridDim.x) * blockDim.x) {
        lines[k] = grid[k * stride];
    }
}
__global__ void
give_kernel(const float2* lines, std::size_t cells, unsigned stride, float2* grid)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < cells;
         k += std::size_t(gridDim.x) * blockDim.x) {
        grid[k * stride] = lines[k];
    }
}

//! The sizes, and what corrects for the taper.
struct shape {
    unsigned columns, rows, nu, nv;
    double pixel_l, pixel_m;
    const double* correction_u; //!< [column]
    const double* correction_v; //!< [row]

    __device__ float correction(unsigned row, unsigned column) const
    {
        const double l = (int(column) - int(columns / 2)) * pixel_l;
        const double m = (int(row) - int(rows / 2)) * pixel_m;
        return l * l + m * m >= 1 ? 0 : float(correction_u[column] * correction_v[row]);
    }
};

struct line_to_column {
    shape s;
    const float2* lines; //!< [v][u]
    float2* columns;     //!< [column][v]
    __device__ float2 operator()(unsigned column, unsigned v, unsigned) const
    {
        return lines[std::size_t(v) * s.nu +
                     transposed::frequency(column, s.columns, s.nu)];
    }
    __device__ void operator()(unsigned column, unsigned v, unsigned, float2 value) const
    {
        columns[std::size_t(column) * s.nv + v] = value;
    }
};

struct column_to_image {
    shape s;
    const float2* columns;
    float* image;
    __device__ float2 operator()(unsigned row, unsigned column, unsigned) const
    {
        return columns[std::size_t(column) * s.nv +
                       transposed::frequency(row, s.rows, s.nv)];
    }
    __device__ void
    operator()(unsigned row, unsigned column, unsigned, float2 value) const
    {
        image[std::size_t(row) * s.columns + column] +=
            value.x * s.correction(row, column);
    }
};

struct image_to_column {
    shape s;
    const float* image;
    float2* columns;
    __device__ float2 operator()(unsigned column, unsigned v, unsigned) const
    {
        const unsigned row = transposed::pixel(v, s.rows, s.nv);
        // Pixels below the horizon may be anything, not-a-numbers too.
        const float factor = row < s.rows ? s.correction(row, column) : 0;
        return make_float2(
            factor == 0 ? 0 : image[std::size_t(row) * s.columns + column] * factor, 0);
    }
    __device__ void operator()(unsigned column, unsigned v, unsigned, float2 value) const
    {
        columns[std::size_t(column) * s.nv + v] = value;
    }
};

struct column_to_line {
    shape s;
    const float2* columns;
    float2* lines;
    __device__ float2 operator()(unsigned v, unsigned u, unsigned) const
    {
        const unsigned column = transposed::pixel(u, s.columns, s.nu);
        return column < s.columns ? columns[std::size_t(column) * s.nv + v]
                                  : make_float2(0, 0);
    }
    __device__ void operator()(unsigned v, unsigned u, unsigned, float2 value) const
    {
        lines[std::size_t(v) * s.nu + u] = value;
    }
};

/*!
 * One polarization at a time: its lines of the grid are transformed along u, what the image
 * needs of them along v, and that is added to the image; and back.
 */
class cuda_transform : public grid_transform
{
public:
    cuda_transform(const cuda_context& c, const w_kernels& k, const gridder_params& p)
        : d_context(c),
          d_p(p),
          d_g(k.geometry()),
          d_corrections(c, p.columns + p.rows),
          d_lines(c, std::size_t(d_g.nu) * d_g.nv),
          d_columns(c, p.columns * d_g.nv),
          d_along_u(c, d_g.nu, d_g.nv),
          d_along_v(c, d_g.nv, p.columns)
    {
        std::vector<double> corrections;
        for (std::size_t i = 0; i < p.columns; i++) {
            corrections.push_back(k.correction_u(i));
        }
        for (std::size_t j = 0; j < p.rows; j++) {
            corrections.push_back(k.correction_v(j));
        }
        check_cuda(cudaMemcpy(d_corrections.data(),
                              corrections.data(),
                              d_corrections.bytes(),
                              cudaMemcpyHostToDevice),
                   "copying corrections");
    }

    void add_images(const std::complex<float>* grid, float* images) override
    {
        d_context.use();
        const shape s = sizes();
        for (std::size_t n = 0; n < d_p.polarizations; n++) {
            take_kernel<<<blocks(), threads, 0, d_context.compute>>>(
                reinterpret_cast<const float2*>(grid) + n,
                d_lines.size(),
                unsigned(d_p.polarizations),
                d_lines.data());
            check_launch("take_kernel");
            d_along_u.run(d_lines.data());
            transpose(
                s.columns, s.nv, line_to_column{s, d_lines.data(), d_columns.data()});
            d_along_v.run(d_columns.data());
            transpose(s.rows,
                      s.columns,
                      column_to_image{s, d_columns.data(), images + n * pixels()});
        }
    }

    void make_grid(const float* images, std::complex<float>* grid) override
    {
        d_context.use();
        const shape s = sizes();
        for (std::size_t n = 0; n < d_p.polarizations; n++) {
            transpose(s.columns,
                      s.nv,
                      image_to_column{s, images + n * pixels(), d_columns.data()});
            d_along_v.run(d_columns.data());
            transpose(s.nv, s.nu, column_to_line{s, d_columns.data(), d_lines.data()});
            d_along_u.run(d_lines.data());
            give_kernel<<<blocks(), threads, 0, d_context.compute>>>(
                d_lines.data(),
                d_lines.size(),
                unsigned(d_p.polarizations),
                reinterpret_cast<float2*>(grid) + n);
            check_launch("give_kernel");
        }
    }

private:
    std::size_t pixels() const { return d_p.columns * d_p.rows; }
    unsigned blocks() const { return 8 * unsigned(d_context.multiprocessors); }
    shape sizes() const
    {
        return {unsigned(d_p.columns),
                unsigned(d_p.rows),
                d_g.nu,
                d_g.nv,
                d_p.pixel_l,
                d_p.pixel_m,
                d_corrections.data(),
                d_corrections.data() + d_p.columns};
    }
    template <class Both>
    void transpose(unsigned width, unsigned height, const Both& both)
    {
        transposed::run(width, height, 1, both, d_context.compute);
    }

    const cuda_context& d_context;
    const gridder_params d_p;
    const w_geometry d_g;
    const cuda_array<double> d_corrections;
    const cuda_array<float2> d_lines, d_columns;
    const cufft_transform d_along_u, d_along_v;
};

const bool registered = transform_factory().set(
    [](std::size_t index, const w_kernels& k, const gridder_params& p) {
        return std::unique_ptr<grid_transform>(
            std::make_unique<cuda_transform>(context_of(index), k, p));
    });

} // namespace

} // namespace gr::fringe::kernels
