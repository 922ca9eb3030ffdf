/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/unpack/cuda/saturation.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
//! What a thread reads at a time, where rows are aligned to it.
constexpr unsigned chunk = 16;

//! x: along a row, y: inputs. A sample is at the rail where one of its parts is.
template <class T, unsigned parts>
__global__ void saturation_kernel(const T* voltages,
                                  std::size_t inputs,
                                  std::size_t stride,
                                  std::size_t samples,
                                  float rail,
                                  bool aligned,
                                  unsigned long long* counts)
{
    constexpr unsigned width = chunk / (parts * sizeof(T)); // samples
    for (std::size_t input = blockIdx.y; input < inputs; input += gridDim.y) {
        const T* row = voltages + input * stride * parts;
        unsigned sum = 0;
        for (std::size_t t = (blockIdx.x * std::size_t(threads) + threadIdx.x) * width;
             t < samples;
             t += std::size_t(gridDim.x) * threads * width) {
            union {
                uint4 all;
                T x[width * parts];
            } v;
            if (aligned && t + width <= samples) {
                v.all = __ldg(reinterpret_cast<const uint4*>(row + t * parts));
            } else {
#pragma unroll
                for (unsigned k = 0; k < width * parts; k++) {
                    v.x[k] = t + k / parts < samples ? row[t * parts + k] : T(0);
                }
            }
#pragma unroll
            for (unsigned k = 0; k < width; k++) {
                bool some = false;
#pragma unroll
                for (unsigned part = 0; part < parts; part++) {
                    some |= fabsf(static_cast<float>(v.x[k * parts + part])) >= rail;
                }
                sum += some;
            }
        }
        for (unsigned mask = 16; mask > 0; mask /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, mask);
        }
        if (threadIdx.x % 32 == 0 && sum > 0) {
            atomicAdd(counts + input, static_cast<unsigned long long>(sum));
        }
    }
}

} // namespace

void count_saturated(const cuda_context& c,
                     const encoding& e,
                     component of,
                     const void* voltages,
                     std::size_t inputs,
                     std::size_t stride,
                     std::size_t samples,
                     std::uint64_t* counts)
{
    if (e.rail <= 0 || samples == 0) {
        return;
    }
    c.use();
    const std::size_t row_bytes = stride * e.sample_bytes(of);
    const bool aligned =
        (reinterpret_cast<std::size_t>(voltages) | row_bytes) % chunk == 0;
    const std::size_t wanted = samples * e.sample_bytes(of) / (chunk * threads * 4) + 1;
    const dim3 blocks(static_cast<unsigned>(std::min<std::size_t>(wanted, 1024)),
                      static_cast<unsigned>(std::min<std::size_t>(inputs, 65535)));
    const auto launch = [&](auto kernel, auto type) {
        kernel<<<blocks, threads, 0, c.compute>>>(
            static_cast<const decltype(type)*>(voltages),
            inputs,
            stride,
            samples,
            e.rail,
            aligned,
            reinterpret_cast<unsigned long long*>(counts));
    };
    const auto launch_for = [&](auto type) {
        using T = decltype(type);
        if (e.is_complex) {
            launch(saturation_kernel<T, 2>, type);
        } else {
            launch(saturation_kernel<T, 1>, type);
        }
    };
    if (of == component::i8) {
        launch_for(std::int8_t());
    } else if (of == component::i16) {
        launch_for(std::int16_t());
    } else {
        launch_for(float());
    }
    check_launch("saturation_kernel");
}

} // namespace gr::fringe::kernels
