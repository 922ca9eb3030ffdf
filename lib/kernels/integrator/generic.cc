/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/integrator/backends.h"
#include <algorithm>
#include <vector>

namespace gr::fringe::kernels {

namespace {

template <class In, class Sum>
class generic_integrator : public integrator
{
public:
    explicit generic_integrator(const integrator_params& p)
        : d_p(p),
          d_sums(2 * p.channels * baselines(p.inputs)),
          d_left_out(d_sums.size() / 2)
    {
    }

    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        check_channels(d_p, first, count);
        const std::size_t values = 2 * baselines(d_p.inputs);
        for (std::size_t n = 0; n < count * values; n++) {
            d_sums[first * values + n] += static_cast<const In*>(sums)[n];
        }
    }

    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        check_flagged(d_p, flagged);
        for (const flagged_spectra& f : flagged) {
            std::vector<char> bad(d_p.channels * d_p.inputs);
            for (const cell_run& r : f.cells) {
                for (std::size_t k = r.first; k < bad.size() && k - r.first < r.count;
                     k++) {
                    bad[k] = 1;
                }
            }
            std::size_t product = 0;
            for (std::size_t c = 0; c < d_p.channels; c++) {
                std::size_t b = 0;
                for (std::size_t i = 0; i < d_p.inputs; i++) {
                    for (std::size_t j = i; j < d_p.inputs; j++, b++, product++) {
                        if (bad[c * d_p.inputs + i] || bad[c * d_p.inputs + j]) {
                            d_left_out[product] += f.of(b);
                        }
                    }
                }
            }
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
        auto sum = d_sums.data() + 2 * first * baselines(d_p.inputs);
        auto left_out = d_left_out.data() + first * baselines(d_p.inputs);
        for (std::size_t c = 0; c < count; c++) {
            const std::uint64_t* all = valid;
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                for (std::size_t j = i; j < d_p.inputs; j++, sum += 2) {
                    const std::uint64_t n = count_of(*all++, *left_out++);
                    const double gain = gains ? double(gains[i]) * gains[j] : 1.0;
                    const double divisor = static_cast<double>(n) * gain;
                    const double imaginary = i == j ? 0 : sum[1] / divisor;
                    *visibilities++ =
                        n ? std::complex<float>(static_cast<float>(sum[0] / divisor),
                                                static_cast<float>(imaginary))
                          : 0.0f;
                    if (weights) {
                        *weights++ = n ? static_cast<float>(static_cast<double>(n) /
                                                            static_cast<double>(expected))
                                       : 0.0f;
                    }
                }
            }
        }
    }

    void clear() override
    {
        std::fill(d_sums.begin(), d_sums.end(), Sum(0));
        std::fill(d_left_out.begin(), d_left_out.end(), 0);
    }

private:
    const integrator_params d_p;
    std::vector<Sum> d_sums; // [channel][baseline], (re, im)
    std::vector<std::uint64_t> d_left_out;
};

} // namespace

std::unique_ptr<integrator> make_generic_integrator(const integrator_params& p)
{
    if (p.integer) {
        return std::make_unique<generic_integrator<std::int32_t, std::int64_t>>(p);
    }
    return std::make_unique<generic_integrator<float, double>>(p);
}

} // namespace gr::fringe::kernels
