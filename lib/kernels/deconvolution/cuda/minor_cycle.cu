/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/cuda/convolution.h"
#include "kernels/deconvolution/cuda/peaks.cuh"
#include "kernels/deconvolution/cuda/search.h"
#include "kernels/deconvolution/device.h"
#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cstring>
#include <optional>

namespace gr::fringe::kernels {

namespace {

using peaks::threads;

//! Pixels that Clark's method searches at most, as on a CPU.
constexpr unsigned max_candidates = 40000;

__global__ void peak_kernel(const float* image,
                            const std::uint8_t* use,
                            unsigned pixels,
                            unsigned long long* peak)
{
    unsigned long long best = 0;
    for (unsigned k = blockIdx.x * threads + threadIdx.x; k < pixels;
         k += gridDim.x * threads) {
        if (use[k] == pixel_use::component) {
            const unsigned long long key = peaks::key(image[k], k);
            best = key > best ? key : best;
        }
    }
    best = peaks::largest_of_block(best);
    if (threadIdx.x == 0) {
        atomicMax(peak, best);
    }
}

//! Counts the pixels above a limit, and lists as many as there is room for.
__global__ void list_kernel(const float* image,
                            const std::uint8_t* use,
                            unsigned pixels,
                            float limit,
                            unsigned room,
                            std::uint32_t* listed,
                            float* values,
                            unsigned* count)
{
    for (unsigned k = blockIdx.x * threads + threadIdx.x; k < pixels;
         k += gridDim.x * threads) {
        if (fabsf(image[k]) > limit && use[k] == pixel_use::component) {
            const auto others = cooperative_groups::coalesced_threads();
            unsigned at = 0;
            if (others.thread_rank() == 0) {
                at = atomicAdd(count, others.size());
            }
            at = others.shfl(at, 0) + others.thread_rank();
            if (at < room) {
                listed[at] = k;
                values[at] = image[k];
            }
        }
    }
}

__global__ void list_all_kernel(const float* image,
                                const std::uint8_t* use,
                                unsigned pixels,
                                std::uint32_t* listed,
                                float* values)
{
    for (unsigned k = blockIdx.x * threads + threadIdx.x; k < pixels;
         k += gridDim.x * threads) {
        listed[k] = k | (use[k] == pixel_use::component ? 0 : no_component);
        values[k] = image[k];
    }
}

//! Adds the components at listed pixels to the model, and clears them.
__global__ void
move_kernel(const std::uint32_t* listed, unsigned count, float* components, float* model)
{
    for (unsigned k = blockIdx.x * threads + threadIdx.x; k < count;
         k += gridDim.x * threads) {
        model[listed[k]] += components[listed[k]];
        components[listed[k]] = 0;
    }
}

struct peak_value {
    unsigned long long key;
    float value() const
    {
        const unsigned bits = peaks::bits_of(key);
        float out;
        std::memcpy(&out, &bits, sizeof(out));
        return key == 0 ? 0 : out;
    }
};

//! Hoegbom's and Clark's minor cycles: the first lists all pixels, the second the highest of them
//! again and again.
class cuda_minor : public device_minor
{
public:
    cuda_minor(const cuda_context& c,
               minor_method how,
               const image_size& size,
               const float* psf)
        : d_context(c),
          d_pixels(unsigned(size.pixels())),
          d_clark(how == minor_method::clark),
          d_psf(c, size.pixels()),
          d_listed(c, d_clark ? max_candidates : size.pixels()),
          d_values(c, d_listed.size()),
          d_components(c, d_clark ? size.pixels() : 0),
          d_peak(c, 1),
          d_count(c, 1),
          d_search(c, size, d_psf.data())
    {
        check_cuda(
            cudaMemcpyAsync(
                d_psf.data(), psf, d_psf.bytes(), cudaMemcpyHostToDevice, c.compute),
            "copying the point spread function");
        check_cuda(cudaStreamSynchronize(c.compute), "copying the point spread function");
        if (d_clark) {
            check_cuda(
                cudaMemsetAsync(d_components.data(), 0, d_components.bytes(), c.compute),
                "clearing components");
            d_convolution.emplace(c, size, d_psf.data());
        }
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        d_context.use();
        minor_report report;
        float peak = find(residual, use);
        search_limits limits{
            float(gain), float(level), 2 * std::abs(peak), max_iterations};
        if (!d_clark) {
            list_all_kernel<<<blocks(), threads, 0, d_context.compute>>>(
                residual, use, d_pixels, d_listed.data(), d_values.data());
            check_launch("listing pixels");
            const auto done =
                d_search.run({d_pixels, d_listed.data(), d_values.data()}, limits, model);
            check_cuda(cudaMemcpyAsync(residual,
                                       d_values.data(),
                                       d_values.bytes(),
                                       cudaMemcpyDeviceToDevice,
                                       d_context.compute),
                       "copying the residual");
            report.iterations = done.iterations;
            report.diverged = done.diverged;
            report.peak = double(std::abs(find(residual, use)));
            return report;
        }
        const float lowest = limits.limit;
        while (report.iterations < max_iterations && std::abs(peak) > lowest) {
            limits.limit = std::min(lowest, 0.99f * std::abs(peak));
            const unsigned count = choose(residual, use, std::abs(peak), limits.limit);
            limits.max_iterations = max_iterations - report.iterations;
            const auto done = d_search.run(
                {count, d_listed.data(), d_values.data()}, limits, d_components.data());
            report.iterations += done.iterations;
            report.diverged = done.diverged;
            if (done.iterations == 0 && !done.diverged) {
                break; // the peak is not a number that can be taken out
            }
            d_convolution->subtract(d_components.data(), residual);
            move_kernel<<<(count + threads - 1) / threads + 1,
                          threads,
                          0,
                          d_context.compute>>>(
                d_listed.data(), count, d_components.data(), model);
            check_launch("moving components");
            peak = find(residual, use);
            if (report.diverged || !(std::abs(peak) <= limits.max_peak)) {
                report.diverged = true;
                break;
            }
        }
        report.peak = double(std::abs(peak));
        return report;
    }

private:
    unsigned blocks() const { return 8 * unsigned(d_context.multiprocessors); }

    template <class T>
    T read(const cuda_array<T>& from)
    {
        T value;
        check_cuda(cudaMemcpyAsync(&value,
                                   from.data(),
                                   sizeof(value),
                                   cudaMemcpyDeviceToHost,
                                   d_context.compute),
                   "reading a number");
        check_cuda(cudaStreamSynchronize(d_context.compute), "CLEAN");
        return value;
    }

    float find(const float* image, const std::uint8_t* use)
    {
        check_cuda(cudaMemsetAsync(d_peak.data(), 0, d_peak.bytes(), d_context.compute),
                   "clearing the peak");
        peak_kernel<<<blocks(), threads, 0, d_context.compute>>>(
            image, use, d_pixels, d_peak.data());
        check_launch("finding the peak");
        return peak_value{read(d_peak)}.value();
    }

    //! Lists pixels above a limit as long as there is room; returns how many there are.
    unsigned
    above(const float* image, const std::uint8_t* use, float limit, unsigned room)
    {
        check_cuda(cudaMemsetAsync(d_count.data(), 0, d_count.bytes(), d_context.compute),
                   "clearing the number of pixels");
        list_kernel<<<blocks(), threads, 0, d_context.compute>>>(image,
                                                                 use,
                                                                 d_pixels,
                                                                 limit,
                                                                 room,
                                                                 d_listed.data(),
                                                                 d_values.data(),
                                                                 d_count.data());
        check_launch("listing pixels");
        return read(d_count);
    }

    //! Lists the pixels above a limit, or the highest of them; the limit is theirs then. The peak
    //! is always among them.
    unsigned choose(const float* image, const std::uint8_t* use, float peak, float& limit)
    {
        unsigned count = above(image, use, limit, max_candidates);
        if (count <= max_candidates) {
            return count;
        }
        // Of floats above 0 the larger one has the larger bits.
        unsigned low = bits(limit), high = bits(peak);
        while (high - low > 1) {
            const unsigned middle = low + (high - low) / 2;
            (above(image, use, of_bits(middle), 0) < max_candidates ? high : low) =
                middle;
        }
        limit = std::min(of_bits(high), 0.99f * peak);
        return std::min(above(image, use, limit, max_candidates), max_candidates);
    }
    static unsigned bits(float value)
    {
        unsigned out;
        std::memcpy(&out, &value, sizeof(out));
        return out;
    }
    static float of_bits(unsigned value)
    {
        float out;
        std::memcpy(&out, &value, sizeof(out));
        return out;
    }

    const cuda_context& d_context;
    const unsigned d_pixels;
    const bool d_clark;
    const cuda_array<float> d_psf;
    const cuda_array<std::uint32_t> d_listed;
    const cuda_array<float> d_values, d_components;
    const cuda_array<unsigned long long> d_peak;
    const cuda_array<unsigned> d_count;
    cuda_search d_search;
    std::optional<cuda_convolution> d_convolution;
};

const bool registered = device_minor_factory().set([](std::size_t index,
                                                      const minor_method& how,
                                                      const image_size& size,
                                                      const float* const& psf) {
    return std::unique_ptr<device_minor>(
        std::make_unique<cuda_minor>(context_of(index), how, size, psf));
});
const bool registered_for_host = minor_cycle_factory().set([](std::size_t index,
                                                              const minor_method& how,
                                                              const image_size& size,
                                                              const float* const& psf) {
    return make_minor_cycle_on(device_of(index), how, size, psf);
});

} // namespace

} // namespace gr::fringe::kernels
