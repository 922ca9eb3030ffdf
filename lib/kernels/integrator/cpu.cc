/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/integrator/backends.h"
#include "kernels/integrator/flagged_channels.h"
#include <algorithm>
#include <optional>

namespace gr::fringe::kernels {

namespace {

// The first sums are added to 0, which need not be in memory for that.
template <class In, class Sum>
__attribute__((always_inline)) inline void
add_loop(const void* in, std::size_t count, bool first, Sum* __restrict sums)
{
    for (std::size_t n = 0; first && n < count; n++) {
        sums[n] = Sum(0) + static_cast<const In*>(in)[n];
    }
    for (std::size_t n = 0; !first && n < count; n++) {
        sums[n] += static_cast<const In*>(in)[n];
    }
}

template <class Sum>
__attribute__((always_inline)) inline void scale_loop(const Sum* sums,
                                                      std::size_t count,
                                                      const double* factors,
                                                      float* __restrict out)
{
    for (std::size_t b = 0; b < count; b++) {
        out[2 * b] = static_cast<float>(static_cast<double>(sums[2 * b]) * factors[b]);
        out[2 * b + 1] =
            static_cast<float>(static_cast<double>(sums[2 * b + 1]) * factors[b]);
    }
}

} // namespace

FRINGE_SIMD static void
add_f32(const void* in, std::size_t count, bool first, double* sums)
{
    add_loop<float>(in, count, first, sums);
}
FRINGE_SIMD static void
add_i32(const void* in, std::size_t count, bool first, std::int64_t* sums)
{
    add_loop<std::int32_t>(in, count, first, sums);
}
FRINGE_SIMD static void
scale_f64(const double* sums, std::size_t count, const double* factors, float* out)
{
    scale_loop(sums, count, factors, out);
}
FRINGE_SIMD static void
scale_i64(const std::int64_t* sums, std::size_t count, const double* factors, float* out)
{
    scale_loop(sums, count, factors, out);
}

namespace {

constexpr std::size_t least_values = std::size_t(1) << 17; // that a part of the work has

//! None but the caller for dumps that one thread adds up at once.
std::shared_ptr<workers> workers_for(const integrator_params& p)
{
    std::optional<workers::serial_region> alone;
    if (p.channels * baselines(p.inputs) < 2 * least_values) {
        alone.emplace();
    }
    return workers::shared();
}

/*!
 * Channels are shared out among the workers where there is much to add up: many cores make sums
 * of many inputs faster than one thread adds them up.
 */
template <class Sum>
class cpu_integrator : public integrator
{
public:
    using add_function = void (*)(const void*, std::size_t, bool first, Sum*);
    using scale_function = void (*)(const Sum*, std::size_t, const double*, float*);

    cpu_integrator(const integrator_params& p, add_function add, scale_function scale)
        : d_p(p),
          d_add(add),
          d_scale(scale),
          d_sums(2 * p.channels * baselines(p.inputs)),
          d_begun(p.channels),
          d_left_out(p.channels),
          d_workers(workers_for(p))
    {
    }

    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        check_channels(d_p, first, count);
        const std::size_t values = 2 * baselines(d_p.inputs);
        for_channels(count, [&](std::size_t c) {
            d_add(static_cast<const std::uint8_t*>(sums) + 4 * c * values,
                  values,
                  !d_begun[first + c],
                  d_sums.data() + (first + c) * values);
            d_begun[first + c] = 1;
        });
    }

    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        check_flagged(d_p, flagged);
        for (const flagged_spectra& f : flagged) {
            for_flagged_channels(
                f.cells,
                d_p.inputs,
                d_p.channels,
                [&](std::size_t channel, const std::vector<std::size_t>& bad) {
                    d_left_out[channel].resize(baselines(d_p.inputs), 0);
                    leave_out(f, bad, d_left_out[channel].data());
                });
        }
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
        const std::size_t products = baselines(d_p.inputs);
        std::vector<double> factors(products);
        std::vector<float> shared(products);
        find_factors(valid, gains, factors.data());
        find_weights(valid, expected, shared.data());
        for_channels(count, [&](std::size_t c) {
            const auto& left_out = d_left_out[first + c];
            const double* f = factors.data();
            std::vector<std::uint64_t> own;
            std::vector<double> own_factors;
            if (!left_out.empty()) { // few channels, as a rule
                own.resize(products);
                own_factors.resize(products);
                for (std::size_t b = 0; b < products; b++) {
                    own[b] = count_of(valid[b], left_out[b]);
                }
                find_factors(own.data(), gains, own_factors.data());
                f = own_factors.data();
            }
            if (d_begun[first + c]) {
                d_scale(d_sums.data() + 2 * (first + c) * products,
                        products,
                        f,
                        reinterpret_cast<float*>(visibilities + c * products));
            } else {
                std::fill_n(visibilities + c * products, products, 0);
            }
            for (std::size_t i = 0, b = 0; i < d_p.inputs; b += d_p.inputs - i++) {
                visibilities[c * products + b].imag(0); // of |x|^2 it is rounding
            }
            if (weights && left_out.empty()) {
                std::copy_n(shared.data(), products, weights + c * products);
            } else if (weights) {
                find_weights(own.data(), expected, weights + c * products);
            }
        });
    }

    void clear() override
    {
        std::fill(d_begun.begin(), d_begun.end(), 0);
        for (auto& channel : d_left_out) {
            channel.clear();
        }
    }

private:
    //! Calls what(channel) for 0 ... count - 1, on several threads where they have much to do.
    template <class What>
    void for_channels(std::size_t count, const What& what) const
    {
        const std::size_t parts =
            std::clamp<std::size_t>(count * baselines(d_p.inputs) / least_values,
                                    1,
                                    std::max<std::size_t>(count, 1));
        d_workers->run(parts, [&](std::size_t part, unsigned) {
            for (std::size_t c = part * count / parts; c < (part + 1) * count / parts;
                 c++) {
                what(c);
            }
        });
    }

    //! Few inputs are bad, as a rule: their baselines, each once.
    void leave_out(const flagged_spectra& f,
                   const std::vector<std::size_t>& bad,
                   std::uint64_t* left_out) const
    {
        for (const std::size_t i : bad) {
            auto other = bad.begin();
            for (std::size_t j = 0; j < i; j++) {
                if (other != bad.end() && *other == j) {
                    ++other; // counted with that one
                    continue;
                }
                const std::size_t b = baseline_index(j, i, d_p.inputs);
                left_out[b] += f.of(b);
            }
            const std::size_t first = baseline_index(i, i, d_p.inputs);
            for (std::size_t b = first; b < first + d_p.inputs - i; b++) {
                left_out[b] += f.of(b);
            }
        }
    }

    void find_factors(const std::uint64_t* counts, const float* gains, double* out) const
    {
        for (std::size_t i = 0, b = 0; i < d_p.inputs; i++) {
            for (std::size_t j = i; j < d_p.inputs; j++, b++) {
                const double gain = gains ? double(gains[i]) * gains[j] : 1.0;
                out[b] = counts[b] ? 1 / (static_cast<double>(counts[b]) * gain) : 0;
            }
        }
    }

    void
    find_weights(const std::uint64_t* counts, std::uint64_t expected, float* out) const
    {
        for (std::size_t b = 0; b < baselines(d_p.inputs); b++) {
            out[b] = counts[b] ? static_cast<float>(static_cast<double>(counts[b]) /
                                                    static_cast<double>(expected))
                               : 0.0f;
        }
    }

    const integrator_params d_p;
    const add_function d_add;
    const scale_function d_scale;
    aligned_vector<Sum> d_sums; //!< [channel][baseline], (re, im)
    std::vector<char> d_begun;  //!< [channel] that something was added to
    //! [channel][baseline]; channels that nothing is left out of have none.
    std::vector<std::vector<std::uint64_t>> d_left_out;
    const std::shared_ptr<workers> d_workers;
};

} // namespace

std::unique_ptr<integrator> make_cpu_integrator(const integrator_params& p)
{
    if (p.integer) {
        return std::make_unique<cpu_integrator<std::int64_t>>(p, add_i32, scale_i64);
    }
    return std::make_unique<cpu_integrator<double>>(p, add_f32, scale_f64);
}

} // namespace gr::fringe::kernels
