/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/cuda/plane_images.cuh"
#include "kernels/gridder/wprojection/cuda/transposed.cuh"
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! Corrections for n - 1: linear between this number of values it is right to 1e-7.
constexpr std::size_t entries = 8192;

//! [cell][polarization] to [polarization][cell], and back.
__global__ void
take_kernel(const float2* grid, std::size_t cells, unsigned polarizations, float2* lines)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
         k < cells * polarizations;
         k += std::size_t(gridDim.x) * blockDim.x) {
        lines[k % polarizations * cells + k / polarizations] = grid[k];
    }
}
__global__ void
give_kernel(const float2* lines, std::size_t cells, unsigned polarizations, float2* grid)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
         k < cells * polarizations;
         k += std::size_t(gridDim.x) * blockDim.x) {
        grid[k] = lines[k % polarizations * cells + k / polarizations];
    }
}

std::vector<double> corrections_of(const gridder_params& p, const grid_plan& plan)
{
    std::vector<double> all;
    const auto along = [&](std::size_t pixels, std::size_t cells) {
        for (std::size_t k = 0; k < pixels; k++) {
            const double s = double(long(k) - long(pixels / 2)) / double(cells);
            all.push_back(1 / plan.kernel.transform(s));
        }
    };
    along(p.columns, plan.nu);
    along(p.rows, plan.nv);
    if (plan.planes_in_w) {
        for (std::size_t k = 0; k <= entries; k++) {
            all.push_back(
                plan.w_correction(2 * plan.middle * double(k) / double(entries)));
        }
        all.push_back(all.back());
    }
    return all;
}

//! The sizes, and what corrects for the kernel and for w.
struct shape {
    unsigned columns, rows, nu, nv;
    double pixel_l, pixel_m;
    const double* corrections;
    bool deep;
    double middle, plane_w;

    //! What a pixel of a plane is multiplied by.
    __device__ float2 factor(unsigned row, unsigned column) const
    {
        const double l = (int(column) - int(columns / 2)) * pixel_l;
        const double m = (int(row) - int(rows / 2)) * pixel_m;
        const double r = l * l + m * m;
        if (r >= 1) {
            return make_float2(0, 0);
        }
        double by = corrections[column] * corrections[columns + row];
        if (!deep) {
            return make_float2(float(by), 0);
        }
        const double below = r / (1 + sqrt(1 - r)); // 1 - n
        const double at = below * (double(entries) / (-2 * middle));
        const auto k = min(unsigned(at), unsigned(entries));
        const double part = at - k;
        const double* const of_n = corrections + columns + rows + k;
        by *= (1 - part) * of_n[0] + part * of_n[1];
        const double turns = plane_w * (below + middle);
        float2 wave;
        sincospif(2 * float(turns - floor(turns + 0.5)), &wave.y, &wave.x);
        return make_float2(float(by) * wave.x, float(by) * wave.y);
    }
    __device__ std::size_t line_at(unsigned u, unsigned v, unsigned p) const
    {
        return (std::size_t(p) * nv + v) * nu + u;
    }
    __device__ std::size_t column_at(unsigned column, unsigned v, unsigned p) const
    {
        return (std::size_t(p) * columns + column) * nv + v;
    }
    __device__ std::size_t pixel_at(unsigned row, unsigned column, unsigned p) const
    {
        return (std::size_t(p) * rows + row) * columns + column;
    }
};

struct line_to_column {
    shape s;
    const float2* lines;
    float2* columns;
    __device__ float2 operator()(unsigned column, unsigned v, unsigned p) const
    {
        return lines[s.line_at(transposed::frequency(column, s.columns, s.nu), v, p)];
    }
    __device__ void operator()(unsigned column, unsigned v, unsigned p, float2 x) const
    {
        columns[s.column_at(column, v, p)] = x;
    }
};

struct column_to_image {
    shape s;
    const float2* columns;
    float* image;
    __device__ float2 operator()(unsigned row, unsigned column, unsigned p) const
    {
        return columns[s.column_at(column, transposed::frequency(row, s.rows, s.nv), p)];
    }
    __device__ void operator()(unsigned row, unsigned column, unsigned p, float2 x) const
    {
        const float2 by = s.factor(row, column);
        image[s.pixel_at(row, column, p)] += x.x * by.x - x.y * by.y;
    }
};

struct image_to_column {
    shape s;
    const float* image;
    float2* columns;
    __device__ float2 operator()(unsigned column, unsigned v, unsigned p) const
    {
        const unsigned row = transposed::pixel(v, s.rows, s.nv);
        const float2 by = row < s.rows ? s.factor(row, column) : make_float2(0, 0);
        // Pixels below the horizon may be anything, not-a-numbers too.
        const bool above = by.x != 0 || by.y != 0;
        const float value = above ? image[s.pixel_at(row, column, p)] : 0;
        return make_float2(value * by.x, value * by.y);
    }
    __device__ void operator()(unsigned column, unsigned v, unsigned p, float2 x) const
    {
        columns[s.column_at(column, v, p)] = x;
    }
};

struct column_to_line {
    shape s;
    const float2* columns;
    float2* lines;
    __device__ float2 operator()(unsigned v, unsigned u, unsigned p) const
    {
        const unsigned column = transposed::pixel(u, s.columns, s.nu);
        return column < s.columns ? columns[s.column_at(column, v, p)]
                                  : make_float2(0, 0);
    }
    __device__ void operator()(unsigned v, unsigned u, unsigned p, float2 x) const
    {
        lines[s.line_at(u, v, p)] = x;
    }
};

shape shape_of(const gridder_params& p,
               const grid_plan& plan,
               std::size_t number,
               const double* corrections)
{
    return {unsigned(p.columns),
            unsigned(p.rows),
            unsigned(plan.nu),
            unsigned(plan.nv),
            p.pixel_l,
            p.pixel_m,
            corrections,
            plan.planes_in_w,
            plan.middle,
            plan.plane_w(number)};
}

} // namespace

plane_images::plane_images(const cuda_context& c,
                           const gridder_params& p,
                           const grid_plan& plan,
                           std::size_t polarizations)
    : d_context(c),
      d_p(p),
      d_plan(plan),
      d_polarizations(polarizations),
      d_corrections(c, p.columns + p.rows + entries + 2),
      d_lines(c, polarizations > 1 ? polarizations * plan.nu * plan.nv : 0),
      d_columns(c, polarizations * p.columns * plan.nv),
      d_along_u(c, plan.nu, polarizations * plan.nv),
      d_along_v(c, plan.nv, polarizations * p.columns)
{
    const auto corrections = corrections_of(p, plan);
    check_cuda(cudaMemcpy(d_corrections.data(),
                          corrections.data(),
                          corrections.size() * sizeof(double),
                          cudaMemcpyHostToDevice),
               "copying corrections");
}

bool plane_images::serves(const grid_plan& plan, std::size_t polarizations) const
{
    return polarizations == d_polarizations && plan.nu == d_plan.nu &&
           plan.nv == d_plan.nv && plan.kernel == d_plan.kernel &&
           plan.planes_in_w == d_plan.planes_in_w &&
           (plan.nodes.count() > 0) == (d_plan.nodes.count() > 0) &&
           (plan.nodes.count() > 0 || plan.w_step == d_plan.w_step);
}

void plane_images::add(const grid_plan& plan,
                       std::size_t number,
                       float2* plane,
                       float* images)
{
    const shape s = shape_of(d_p, plan, number, d_corrections.data());
    const auto depth = unsigned(d_polarizations);
    float2* lines = plane;
    if (depth > 1) {
        lines = d_lines.data();
        take_kernel<<<8 * d_context.multiprocessors, 256, 0, d_context.compute>>>(
            plane, plan.nu * plan.nv, depth, lines);
        check_launch("take_kernel");
    }
    d_along_u.run(lines);
    transposed::run(s.columns,
                    s.nv,
                    depth,
                    line_to_column{s, lines, d_columns.data()},
                    d_context.compute);
    d_along_v.run(d_columns.data());
    transposed::run(s.rows,
                    s.columns,
                    depth,
                    column_to_image{s, d_columns.data(), images},
                    d_context.compute);
}

void plane_images::make(const grid_plan& plan,
                        std::size_t number,
                        const float* images,
                        float2* plane)
{
    const shape s = shape_of(d_p, plan, number, d_corrections.data());
    const auto depth = unsigned(d_polarizations);
    transposed::run(s.columns,
                    s.nv,
                    depth,
                    image_to_column{s, images, d_columns.data()},
                    d_context.compute);
    d_along_v.run(d_columns.data());
    float2* const lines = depth > 1 ? d_lines.data() : plane;
    transposed::run(
        s.nv, s.nu, depth, column_to_line{s, d_columns.data(), lines}, d_context.compute);
    d_along_u.run(lines);
    if (depth > 1) {
        give_kernel<<<8 * d_context.multiprocessors, 256, 0, d_context.compute>>>(
            lines, plan.nu * plan.nv, depth, plane);
        check_launch("give_kernel");
    }
}

} // namespace gr::fringe::kernels
