/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/backends.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

template <class T>
class generic_kurtosis : public kurtosis
{
public:
    explicit generic_kurtosis(const kurtosis_params& p)
        : d_p(p), d_s1(p.channels * p.inputs), d_s2(p.channels * p.inputs)
    {
    }

    void add(const void* spectra, std::size_t count, void* copy) override
    {
        check_spectra(d_p, count);
        const auto in = static_cast<const T*>(spectra);
        for (std::size_t row = 0; row < d_s1.size(); row++) {
            for (std::size_t t = 0; t < count; t++) {
                const T* x = in + 2 * (row * d_p.block_spectra + t);
                const double re = static_cast<double>(x[0]);
                const double im = static_cast<double>(x[1]);
                const double power = re * re + im * im;
                d_s1[row] += power;
                d_s2[row] += power * power;
            }
        }
        if (copy) {
            std::memcpy(copy, spectra, d_s1.size() * d_p.block_spectra * 2 * sizeof(T));
        }
    }

    void read(float* s1, float* s2) const override
    {
        std::transform(d_s1.begin(), d_s1.end(), s1, [](double s) { return float(s); });
        std::transform(d_s2.begin(), d_s2.end(), s2, [](double s) { return float(s); });
    }

    void clear() override
    {
        std::fill(d_s1.begin(), d_s1.end(), 0);
        std::fill(d_s2.begin(), d_s2.end(), 0);
    }

    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        zero_rows(d_p, blocks, cells);
    }

private:
    const kurtosis_params d_p;
    std::vector<double> d_s1, d_s2; // [channel][input]
};

} // namespace

std::unique_ptr<kurtosis> make_generic_kurtosis(const kurtosis_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<generic_kurtosis<std::int8_t>>(p);
    }
    return std::make_unique<generic_kurtosis<float>>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
