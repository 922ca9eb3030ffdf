/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/integrator/backends.h"
#include "kernels/integrator/cuda/backend.h"
#include "kernels/integrator/cuda/left_out.h"
#include <algorithm>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

//! Enough blocks for any GPU; threads stride over what is left.
unsigned blocks_for(std::size_t count)
{
    return static_cast<unsigned>(
        std::min<std::size_t>((count + threads - 1) / threads, 1 << 16));
}

__device__ std::size_t thread_number()
{
    return blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
}
__device__ std::size_t all_threads() { return std::size_t(gridDim.x) * blockDim.x; }

template <class In, class Sum>
__global__ void add_kernel(const In* in, std::size_t count, Sum* sums)
{
    for (std::size_t n = thread_number(); n < count; n += all_threads()) {
        const In x = in[n];
        Sum s = sums[n];
        s.x += x.x;
        s.y += x.y;
        sums[n] = s;
    }
}

//! What all channels of a product share. An autocorrelation has no imaginary part.
struct factors {
    double re, im;
    float weight;
};

//! x: j, y: i.
__global__ void factors_kernel(const unsigned long long* valid,
                               const float* gains,
                               unsigned inputs,
                               double expected,
                               factors* out)
{
    const unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = blockIdx.y; i <= j && j < inputs; i += gridDim.y) {
        const std::size_t b = i * std::size_t(inputs) - std::size_t(i) * (i + 1) / 2 + j;
        const double n = static_cast<double>(valid[b]);
        const double gain = gains ? double(gains[i]) * gains[j] : 1.0;
        factors f;
        f.re = valid[b] ? 1 / (n * gain) : 0;
        f.im = i == j ? 0 : f.re;
        f.weight = valid[b] ? static_cast<float>(n / expected) : 0.0f;
        out[b] = f;
    }
}

//! Those of a product that some spectra are left out of.
__device__ factors fewer(factors f,
                         std::uint64_t valid,
                         std::uint64_t left_out,
                         double expected)
{
    const std::uint64_t left = count_of(valid, left_out);
    const double n = static_cast<double>(left);
    const double more = left ? static_cast<double>(valid) / n : 0;
    f.re *= more;
    f.im *= more;
    f.weight = left ? static_cast<float>(n / expected) : 0.0f;
    return f;
}

//! Products of some channels, one after the other. `left_out` may be null.
template <class Sum>
__global__ void mean_kernel(const Sum* sums,
                            const factors* f,
                            const unsigned long long* valid,
                            const unsigned long long* left_out,
                            double expected,
                            std::size_t baselines,
                            std::size_t count,
                            float2* visibilities,
                            float* weights)
{
    const std::size_t step = all_threads(), baseline_step = step % baselines;
    std::size_t b = thread_number() % baselines;
    for (std::size_t n = thread_number(); n < count; n += step) {
        factors now = f[b];
        const std::uint64_t missing = left_out ? left_out[n] : 0;
        if (missing > 0) {
            now = fewer(now, valid[b], missing, expected);
        }
        const Sum s = sums[n];
        // A factor of 0 is none: the sum need not be finite.
        visibilities[n] = make_float2(
            now.re != 0 ? static_cast<float>(static_cast<double>(s.x) * now.re) : 0,
            now.im != 0 ? static_cast<float>(static_cast<double>(s.y) * now.im) : 0);
        if (weights) {
            weights[n] = now.weight;
        }
        b += baseline_step;
        b -= b >= baselines ? baselines : 0;
    }
}

template <class In, class Sum>
class cuda_integrator : public integrator
{
public:
    cuda_integrator(const cuda_context& c, const integrator_params& p)
        : d_context(c),
          d_p(p),
          d_baselines(baselines(p.inputs)),
          d_sums(c, p.channels * d_baselines),
          d_valid(c, d_baselines),
          d_gains(c, p.inputs),
          d_factors(c, d_baselines),
          d_left_out(c, p),
          d_staging(c, d_valid.bytes())
    {
        clear();
    }

    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        check_channels(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        const std::size_t products = count * d_baselines;
        add_kernel<<<blocks_for(products), threads, 0, d_context.compute>>>(
            static_cast<const In*>(sums), products, d_sums.data() + first * d_baselines);
        check_launch("add_kernel");
    }

    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        check_flagged(d_p, flagged);
        d_context.use();
        d_left_out.add(flagged);
    }

    void mean(std::size_t first,
              std::size_t count,
              const std::uint64_t* valid,
              std::uint64_t expected,
              const float* gains,
              std::complex<float>* visibilities,
              float* weights) const override
    {
        check_channels(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        find_factors(valid, expected, gains);
        const std::size_t products = count * d_baselines;
        const unsigned blocks =
            std::min(blocks_for(products), 32u * d_context.multiprocessors);
        mean_kernel<<<blocks, threads, 0, d_context.compute>>>(
            d_sums.data() + first * d_baselines,
            d_factors.data(),
            d_valid.data(),
            d_left_out.of(first),
            static_cast<double>(expected),
            d_baselines,
            products,
            reinterpret_cast<float2*>(visibilities),
            weights);
        check_launch("mean_kernel");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
        d_left_out.clear();
    }

private:
    //! Once for all channels of a dump. Each copy to the GPU waits for the kernels before an
    //! earlier one, and so for others' work.
    void find_factors(const std::uint64_t* valid,
                      std::uint64_t expected,
                      const float* gains) const
    {
        const std::size_t with = gains ? d_p.inputs : 0;
        if (d_known_valid.size() == d_baselines && expected == d_known_expected &&
            with == d_known_gains.size() &&
            std::equal(d_known_gains.begin(), d_known_gains.end(), gains) &&
            std::equal(d_known_valid.begin(), d_known_valid.end(), valid)) {
            return;
        }
        d_known_valid.clear(); // until it is done
        d_staging.copy(d_valid.data(), valid, d_valid.bytes());
        if (gains) {
            d_staging.copy(d_gains.data(), gains, d_gains.bytes());
        }
        const auto inputs = static_cast<unsigned>(d_p.inputs);
        const dim3 squares((inputs + threads - 1) / threads, inputs);
        factors_kernel<<<squares, threads, 0, d_context.compute>>>(
            d_valid.data(),
            gains ? d_gains.data() : nullptr,
            inputs,
            static_cast<double>(expected),
            d_factors.data());
        check_launch("factors_kernel");
        d_known_expected = expected;
        d_known_gains.assign(gains, gains + with);
        d_known_valid.assign(valid, valid + d_baselines);
    }

    const cuda_context& d_context;
    const integrator_params d_p;
    const std::size_t d_baselines;
    const cuda_array<Sum> d_sums; //!< [channel][baseline]
    const cuda_array<unsigned long long> d_valid;
    const cuda_array<float> d_gains;
    const cuda_array<factors> d_factors;
    left_out_counts d_left_out;
    mutable staging d_staging;
    //! What d_factors was made of; nothing valid: of nothing.
    mutable std::uint64_t d_known_expected = 0;
    mutable std::vector<std::uint64_t> d_known_valid;
    mutable std::vector<float> d_known_gains;
};

const bool registered =
    integrator_factory().set([](std::size_t index, const integrator_params& p) {
        return make_cuda_integrator(context_of(index), p);
    });

} // namespace

std::unique_ptr<integrator> make_cuda_integrator(const cuda_context& c,
                                                 const integrator_params& p)
{
    if (p.integer) {
        return std::make_unique<cuda_integrator<int2, longlong2>>(c, p);
    }
    return std::make_unique<cuda_integrator<float2, double2>>(c, p);
}

} // namespace gr::fringe::kernels
