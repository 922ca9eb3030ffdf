/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/overlap_save/backends.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
//! Of the transforms of a group: they stay in the second-level cache from the first pass over them
//! to the last.
constexpr std::size_t group_bytes = std::size_t(16) << 20;

//! The transforms of a call, numbered by stream and then by time.
struct part {
    std::size_t stream;    //!< of the first one
    unsigned at;           //!< its number in the stream
    unsigned count, steps; //!< transforms in all, and of a stream
    unsigned beams;        //!< streams of a row
    unsigned points, past, step;

    __device__ std::size_t stream_of(unsigned t) const
    {
        return stream + (at + t) / steps;
    }
    //! Where its first sample is in the streams.
    __device__ std::size_t place_of(unsigned t, std::size_t stride) const
    {
        return stream_of(t) * stride + std::size_t((at + t) % steps) * step;
    }
};

//! x: a part of the points; y: a transform. Those behind the last one become zeros.
__global__ void
gather_kernel(part p, const float2* in, std::size_t stride, unsigned all, float2* work)
{
    const unsigned k = blockIdx.x * threads + threadIdx.x;
    for (unsigned t = blockIdx.y; t < all && k < p.points; t += gridDim.y) {
        work[std::size_t(t) * p.points + k] =
            t < p.count ? in[p.place_of(t, stride) + k] : make_float2(0, 0);
    }
}

//! x = conj(h x): the backward transform is the conjugate of the forward one of it.
__global__ void multiply_kernel(part p, const float2* filters, float2* work)
{
    const unsigned k = blockIdx.x * threads + threadIdx.x;
    for (unsigned t = blockIdx.y; t < p.count && k < p.points; t += gridDim.y) {
        const std::size_t row = p.stream_of(t) / p.beams;
        const float2 h = filters[row * p.points + k];
        const float2 x = work[std::size_t(t) * p.points + k];
        work[std::size_t(t) * p.points + k] =
            make_float2(x.x * h.x - x.y * h.y, -(x.x * h.y + x.y * h.x));
    }
}

__global__ void
scatter_kernel(part p, const float2* work, float2* out, std::size_t stride)
{
    const unsigned k = blockIdx.x * threads + threadIdx.x;
    for (unsigned t = blockIdx.y; t < p.count && k < p.step; t += gridDim.y) {
        const float2 y = work[std::size_t(t) * p.points + p.past + k];
        out[p.place_of(t, stride) + k] = make_float2(y.x, -y.y);
    }
}

class cuda_overlap_save : public overlap_save
{
public:
    cuda_overlap_save(const cuda_context& c,
                      const overlap_save_params& p,
                      const std::complex<float>* filters)
        : overlap_save(p),
          d_context(c),
          d_together(std::clamp<std::size_t>(
              group_bytes / (p.points * sizeof(float2)), 1, 65535)),
          d_filters(c, p.rows * p.points),
          d_work(c, d_together * p.points),
          d_transform(c, p.points, d_together)
    {
        std::vector<std::complex<float>> scaled(filters, filters + p.rows * p.points);
        for (auto& factor : scaled) {
            factor /= static_cast<float>(p.points);
        }
        c.use();
        check_cuda(cudaMemcpyAsync(d_filters.data(),
                                   scaled.data(),
                                   d_filters.bytes(),
                                   cudaMemcpyHostToDevice,
                                   c.compute),
                   "copying filters");
        check_cuda(cudaStreamSynchronize(c.compute), "copying filters");
    }

private:
    void run(const job& j) override
    {
        const std::size_t steps = d_p.made_of(j.samples) / d_p.step();
        const std::size_t all = j.rows * j.beams * steps;
        d_context.use();
        for (std::size_t at = 0; at < all; at += d_together) {
            transform({at / steps,
                       unsigned(at % steps),
                       unsigned(std::min(d_together, all - at)),
                       unsigned(steps),
                       unsigned(j.beams),
                       unsigned(d_p.points),
                       unsigned(d_p.past),
                       unsigned(d_p.step())},
                      d_filters.data() + j.first * d_p.points,
                      j.in,
                      j.out);
        }
    }

    void transform(const part& p,
                   const float2* filters,
                   const filtered_rows<const std::complex<float>>& in,
                   const filtered_rows<std::complex<float>>& out)
    {
        const auto blocks = [&](unsigned points) {
            return dim3((points + threads - 1) / threads, unsigned(d_together));
        };
        gather_kernel<<<blocks(p.points), threads, 0, d_context.compute>>>(
            p,
            reinterpret_cast<const float2*>(in.at),
            in.stride,
            unsigned(d_together),
            d_work.data());
        check_launch("gather_kernel");
        d_transform.run(d_work.data());
        multiply_kernel<<<blocks(p.points), threads, 0, d_context.compute>>>(
            p, filters, d_work.data());
        check_launch("multiply_kernel");
        d_transform.run(d_work.data());
        scatter_kernel<<<blocks(p.step), threads, 0, d_context.compute>>>(
            p, d_work.data(), reinterpret_cast<float2*>(out.at), out.stride);
        check_launch("scatter_kernel");
    }

    const cuda_context& d_context;
    const std::size_t d_together;       //!< transforms at a time
    const cuda_array<float2> d_filters; //!< divided by the points
    const cuda_array<float2> d_work;
    const cufft_transform d_transform;
};

std::unique_ptr<overlap_save> make_cuda_overlap_save(std::size_t index,
                                                     const overlap_save_params& p,
                                                     const std::complex<float>* filters)
{
    return std::make_unique<cuda_overlap_save>(context_of(index), p, filters);
}

const bool registered =
    overlap_save_factory().set([](std::size_t index,
                                  const overlap_save_params& p,
                                  const std::complex<float>* const& filters) {
        return make_cuda_overlap_save(index, p, filters);
    });
const bool registered_for_host =
    overlap_save_of_host_factory().set([](std::size_t index,
                                          const overlap_save_params& p,
                                          const std::complex<float>* const& filters) {
        return make_overlap_save_on(device_of(index),
                                    make_cuda_overlap_save(index, p, filters));
    });

} // namespace

} // namespace gr::fringe::kernels
