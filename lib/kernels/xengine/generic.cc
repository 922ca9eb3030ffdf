/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/backends.h"
#include <algorithm>
#include <complex>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! In: component of the spectra, Sum: of the sums kept, Out: of the sums given out.
template <class In, class Sum, class Out>
class generic_xengine : public xengine
{
public:
    explicit generic_xengine(const xengine_params& p)
        : d_p(p), d_sums(2 * p.channels * baselines(p.inputs))
    {
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (std::is_integral<Out>::value) {
            check_exact(d_spectra + count);
        }
        d_spectra += count;
        auto sum = d_sums.data();
        for (std::size_t c = 0; c < d_p.channels; c++) {
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                const In* x = row(spectra, c, i, first);
                for (std::size_t j = i; j < d_p.inputs; j++, sum += 2) {
                    const In* y = row(spectra, c, j, first);
                    for (std::size_t t = 0; t < count; t++) {
                        const Sum xr = x[2 * t], xi = x[2 * t + 1];
                        const Sum yr = y[2 * t], yi = y[2 * t + 1];
                        sum[0] += xr * yr + xi * yi;
                        sum[1] += xi * yr - xr * yi;
                    }
                }
            }
        }
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        const std::size_t values = 2 * baselines(d_p.inputs);
        std::transform(d_sums.data() + first * values,
                       d_sums.data() + (first + count) * values,
                       static_cast<Out*>(out),
                       [](Sum sum) { return static_cast<Out>(sum); });
    }

    void clear() override
    {
        std::fill(d_sums.begin(), d_sums.end(), Sum(0));
        d_spectra = 0;
    }

private:
    const In* row(const void* spectra, std::size_t c, std::size_t i, std::size_t t) const
    {
        return static_cast<const In*>(spectra) +
               2 * ((c * d_p.inputs + i) * d_p.block_spectra + t);
    }

    const xengine_params d_p;
    std::vector<Sum> d_sums; // [channel][baseline], (re, im)
    std::size_t d_spectra = 0;
};

} // namespace

std::unique_ptr<xengine> make_generic_xengine(const xengine_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<generic_xengine<std::int8_t, std::int64_t, std::int32_t>>(
            p);
    }
    return std::make_unique<generic_xengine<float, double, float>>(p);
}

} // namespace gr::fringe::kernels
