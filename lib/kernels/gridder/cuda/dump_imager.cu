/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/staging.h"
#include "kernels/gridder/cuda/device_gridder.h"
#include "kernels/gridder/dump_imager.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

//! A product of a row: its number, and twice that and one where its conjugate is taken; -1 =
//! no product.
struct row_parts {
    int number[2];
};

//! A plane, as kernels are given it.
struct plane_recipe {
    float2 factor[2];
    int parts;
    bool mean;
};

__device__ inline float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

//! blockIdx.y: channels, blockIdx.z: planes. Channels are those of one group.
__global__ void take_kernel(unsigned rows,
                            std::size_t products,
                            unsigned antennas,
                            const plane_recipe* recipes,
                            const row_parts* parts, // [plane][row]
                            const uint2* pairs,     // [row]
                            const double* uvw,      // [row][3]
                            const float2* turns,    // of the first channel, [antenna]
                            const unsigned char* left_out,
                            const float2* visibilities,
                            const float* weights,
                            unsigned channels, // of the group
                            float2* data,      // of the first channel
                            float* factors)
{
    const unsigned row = blockIdx.x * threads + threadIdx.x;
    const unsigned channel = blockIdx.y, plane = blockIdx.z;
    if (row >= rows) {
        return;
    }
    const plane_recipe recipe = recipes[plane];
    const row_parts from = parts[std::size_t(plane) * rows + row];
    float2 v[2] = {};
    float w[2] = {};
    for (int k = 0; k < recipe.parts; k++) {
        if (from.number[k] >= 0) {
            const std::size_t product = channel * products + from.number[k] / 2;
            const float2 x = visibilities[product];
            if (isfinite(x.x) && isfinite(x.y)) {
                v[k] = make_float2(x.x, from.number[k] % 2 ? -x.y : x.y);
                w[k] = weights ? weights[product] : 1;
            }
        }
    }
    float2 value = make_float2(0, 0);
    float weight = 0;
    if (recipe.parts == 1) {
        value = times(v[0], recipe.factor[0]);
        weight = w[0];
    } else if (recipe.mean) {
        weight = w[0] + w[1];
        if (weight > 0) {
            value = make_float2((w[0] * v[0].x + w[1] * v[1].x) / weight,
                                (w[0] * v[0].y + w[1] * v[1].y) / weight);
        }
    } else {
        const float2 a = times(v[0], recipe.factor[0]), b = times(v[1], recipe.factor[1]);
        value = make_float2(0.5f * (a.x + b.x), 0.5f * (a.y + b.y));
        weight = w[0] > 0 && w[1] > 0 ? 4 * w[0] * w[1] / (w[0] + w[1]) : 0;
    }
    const double* const b = uvw + 3 * std::size_t(row);
    const bool here = isfinite(b[0] + b[1] + b[2]) && !left_out[channel];
    const uint2 pair = pairs[row];
    const float2 first = turns[std::size_t(channel) * antennas + pair.x];
    const float2 second = turns[std::size_t(channel) * antennas + pair.y];
    value = times(times(value, first), make_float2(second.x, -second.y));
    const std::size_t at = (std::size_t(plane) * rows + row) * channels + channel;
    data[at] = value;
    factors[at] = here ? weight : 0;
}

//! Adds the weights of each plane of a group, blockIdx.y, and counts them.
__global__ void sum_kernel(const float* factors,
                           std::size_t count,
                           unsigned groups,
                           double* totals, // of the group, [plane][group]
                           unsigned long long* used)
{
    double sum = 0;
    unsigned there = 0;
    for (std::size_t k = blockIdx.x * std::size_t(threads) + threadIdx.x; k < count;
         k += std::size_t(gridDim.x) * threads) {
        const float weight = factors[blockIdx.y * count + k];
        sum += weight;
        there += weight > 0;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
        there += __shfl_xor_sync(~0u, there, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(totals + std::size_t(blockIdx.y) * groups, sum);
        atomicAdd(used, static_cast<unsigned long long>(there));
    }
}

//! The images of a group, [plane][row][column], by their weights to their places.
struct finish_work {
    unsigned columns, rows, groups, planes;
    double pixel_l, pixel_m;
    double up[3];
};
__global__ void finish_kernel(const finish_work w,
                              const float* made,
                              const double* totals, // of the group
                              float* images)        // of the group
{
    const std::size_t pixels = std::size_t(w.columns) * w.rows;
    for (std::size_t k = blockIdx.x * std::size_t(threads) + threadIdx.x; k < pixels;
         k += std::size_t(gridDim.x) * threads) {
        const int row = int(k / w.columns), column = int(k % w.columns);
        const double l = (column - int((w.columns - 1) / 2)) * w.pixel_l;
        const double m = (row - int(w.rows / 2)) * w.pixel_m;
        const double n2 = 1 - l * l - m * m;
        const bool hidden =
            n2 <= 0 || w.up[0] * l + w.up[1] * m + w.up[2] * sqrt(n2) <= 0;
        // Made with u and l of the other sign.
        const std::size_t mirrored = k - column + (w.columns - 1 - column);
        for (unsigned p = 0; p < w.planes; p++) {
            const double total = totals[std::size_t(p) * w.groups];
            images[std::size_t(p) * w.groups * pixels + k] =
                hidden ? nanf("")
                       : float(made[p * pixels + mirrored] / (total > 0 ? total : 1));
        }
    }
}

class cuda_imager : public dump_imager
{
public:
    cuda_imager(std::size_t index, const dump_imager_params& p)
        : d_context(context_of(index)),
          d_behind(d_context),
          d_p(p),
          d_gridder(make_cuda_gridder(d_behind, p.image)),
          d_taken(device_of(index)->make_event()),
          d_finished(device_of(index)->make_event()),
          d_staging(d_context,
                    std::max(3 * p.rows.size() * sizeof(double),
                             p.channels * p.antennas * sizeof(float2))),
          d_recipes(d_context, p.planes.size()),
          d_parts(d_context, p.planes.size() * p.rows.size()),
          d_pairs(d_context, p.rows.size()),
          d_uvw(d_context, 3 * p.rows.size()),
          d_turns(d_context, p.channels * p.antennas),
          d_left_out(d_context, p.channels),
          d_totals(d_context, p.planes.size() * p.groups.size()),
          d_used(d_context, 1),
          d_made(d_context, p.planes.size() * p.image.columns * p.image.rows)
    {
        std::vector<plane_recipe> recipes;
        std::vector<row_parts> parts;
        for (const auto& plane : p.planes) {
            plane_recipe recipe{};
            recipe.parts = int(plane.parts.size());
            recipe.mean = plane.mean;
            for (std::size_t k = 0; k < plane.parts.size(); k++) {
                const auto f = plane.parts[k].factor;
                recipe.factor[k] = make_float2(f.real(), f.imag());
            }
            recipes.push_back(recipe);
            for (std::size_t r = 0; r < p.rows.size(); r++) {
                row_parts from{{-1, -1}};
                for (std::size_t k = 0; k < plane.parts.size(); k++) {
                    const int product = plane.parts[k].products[r];
                    from.number[k] =
                        product < 0 ? -1
                                    : 2 * product + (plane.parts[k].conjugated[r] != 0);
                }
                parts.push_back(from);
            }
        }
        std::vector<uint2> pairs;
        for (const auto& row : p.rows) {
            pairs.push_back(make_uint2(row[0], row[1]));
        }
        copy(d_recipes, recipes);
        copy(d_parts, parts);
        copy(d_pairs, pairs);
        for (const auto& group : p.groups) {
            const std::size_t values = p.planes.size() * p.rows.size() * group[1];
            d_data.emplace_back(d_context, values);
            d_factors.emplace_back(d_context, values);
        }
    }

    void begin(const dump_geometry& g) override
    {
        d_context.use();
        d_finished->make_wait(device_stream::compute);
        d_up = g.up;
        const auto uvw = row_places(d_p, g);
        const visibility_rows at{
            d_p.rows.size(), uvw.data(), d_p.channels, d_p.frequencies.data()};
        d_plan.emplace(
            grid_plan::make(d_p.image, extent_of(at, nullptr), grid_costs::of_gpu()));
        d_staging.copy(d_uvw.data(), uvw.data(), d_uvw.bytes());
        d_staging.copy(d_turns.data(), g.turns.data(), d_turns.bytes());
        auto left_out = g.left_out;
        left_out.resize(d_p.channels);
        d_staging.copy(d_left_out.data(), left_out.data(), d_left_out.bytes());
        // What does not come has no weight.
        for (const auto& factors : d_factors) {
            check_cuda(
                cudaMemsetAsync(factors.data(), 0, factors.bytes(), d_context.compute),
                "clearing weights");
        }
    }

    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        d_context.use();
        const std::size_t products = d_p.inputs * (d_p.inputs + 1) / 2;
        for (std::size_t g = 0; g < d_p.groups.size(); g++) {
            const auto& group = d_p.groups[g];
            const std::size_t begin = std::max(first, group[0]);
            const std::size_t end = std::min(first + count, group[0] + group[1]);
            if (begin >= end || d_p.rows.empty()) {
                continue;
            }
            const std::size_t at = (begin - first) * products;
            const dim3 blocks(unsigned((d_p.rows.size() + threads - 1) / threads),
                              unsigned(end - begin),
                              unsigned(d_p.planes.size()));
            take_kernel<<<blocks, threads, 0, d_context.compute>>>(
                unsigned(d_p.rows.size()),
                products,
                unsigned(d_p.antennas),
                d_recipes.data(),
                d_parts.data(),
                d_pairs.data(),
                d_uvw.data(),
                d_turns.data() + begin * d_p.antennas,
                d_left_out.data() + begin,
                reinterpret_cast<const float2*>(visibilities) + at,
                weights ? weights + at : nullptr,
                unsigned(group[1]),
                d_data[g].data() + (begin - group[0]),
                d_factors[g].data() + (begin - group[0]));
            check_launch("take_kernel");
        }
    }

    void finish(float* images) override
    {
        d_context.use();
        d_taken->record(device_stream::compute);
        d_taken->make_wait(device_stream::background);
        clear(d_totals);
        clear(d_used);
        const std::size_t pixels = d_p.image.columns * d_p.image.rows;
        const auto groups = unsigned(d_p.groups.size()),
                   planes = unsigned(d_p.planes.size());
        const unsigned blocks = 2 * unsigned(d_context.multiprocessors);
        const finish_work work{unsigned(d_p.image.columns),
                               unsigned(d_p.image.rows),
                               groups,
                               planes,
                               d_p.image.pixel_l,
                               d_p.image.pixel_m,
                               {d_up[0], d_up[1], d_up[2]}};
        for (unsigned g = 0; g < groups; g++) {
            const auto& group = d_p.groups[g];
            sum_kernel<<<dim3(blocks / 2, planes), threads, 0, d_behind.compute>>>(
                d_factors[g].data(),
                d_p.rows.size() * group[1],
                groups,
                d_totals.data() + g,
                d_used.data());
            check_launch("sum_kernel");
            clear(d_made);
            d_gridder->grid(
                {d_p.rows.size(), d_uvw.data(), group[1], &d_p.frequencies[group[0]]},
                *d_plan,
                reinterpret_cast<const std::complex<float>*>(d_data[g].data()),
                d_factors[g].data(),
                d_made.data());
            finish_kernel<<<4 * blocks, threads, 0, d_behind.compute>>>(
                work, d_made.data(), d_totals.data() + g, images + g * pixels);
            check_launch("finish_kernel");
        }
        d_finished->record(device_stream::background);
    }

    dump_weights weights() override
    {
        d_context.use();
        dump_weights w;
        w.total.resize(d_totals.size());
        unsigned long long used = 0;
        check_cuda(cudaMemcpyAsync(w.total.data(),
                                   d_totals.data(),
                                   d_totals.bytes(),
                                   cudaMemcpyDeviceToHost,
                                   d_behind.compute),
                   "copying weights");
        check_cuda(cudaMemcpyAsync(&used,
                                   d_used.data(),
                                   sizeof(used),
                                   cudaMemcpyDeviceToHost,
                                   d_behind.compute),
                   "copying a count");
        check_cuda(cudaStreamSynchronize(d_behind.compute), "imaging");
        w.visibilities = used;
        return w;
    }

private:
    template <class T>
    void copy(const cuda_array<T>& to, const std::vector<T>& from) const
    {
        check_cuda(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice),
                   "copying what images are made of");
    }
    template <class T>
    void clear(const cuda_array<T>& all) const
    {
        check_cuda(cudaMemsetAsync(all.data(), 0, all.bytes(), d_behind.compute),
                   "clearing sums");
    }

    //! The same device, whose stream `background` stands in for `compute`.
    struct background : cuda_context {
        explicit background(const cuda_context& c) : cuda_context(c)
        {
            compute = c.background;
        }
    };

    const cuda_context& d_context;
    const background d_behind;
    const dump_imager_params d_p;
    const std::unique_ptr<device_gridder> d_gridder;
    const std::unique_ptr<device_event> d_taken, d_finished;
    staging d_staging;
    const cuda_array<plane_recipe> d_recipes;
    const cuda_array<row_parts> d_parts;
    const cuda_array<uint2> d_pairs;
    const cuda_array<double> d_uvw;
    const cuda_array<float2> d_turns;
    const cuda_array<unsigned char> d_left_out;
    const cuda_array<double> d_totals; // [plane][group]
    const cuda_array<unsigned long long> d_used;
    const cuda_array<float> d_made;           // of a group
    std::vector<cuda_array<float2>> d_data;   // [group][plane][row][channel]
    std::vector<cuda_array<float>> d_factors; // the same of weights
    std::array<double, 3> d_up{0, 0, 1};
    std::optional<grid_plan> d_plan;
};

const bool registered =
    dump_imager_factory().set([](std::size_t index, const dump_imager_params& p) {
        return std::unique_ptr<dump_imager>(std::make_unique<cuda_imager>(index, p));
    });

} // namespace

} // namespace gr::fringe::kernels
