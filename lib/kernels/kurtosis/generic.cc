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

namespace gr::fringe::kernels {

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
        const bool turned = d_p.layout == spectra_layout::time_major;
        const std::size_t spectrum = turned ? spectra_row(d_p.channels) : 1;
        for (std::size_t row = 0; row < d_s1.size(); row++) {
            const std::size_t c = row / d_p.inputs, i = row % d_p.inputs;
            const T* const first = in + 2 * (turned ? i * d_p.block_spectra * spectrum + c
                                                    : row * d_p.block_spectra);
            for (std::size_t t = 0; t < count; t++) {
                const T* x = first + 2 * t * spectrum;
                const double re = static_cast<double>(x[0]);
                const double im = static_cast<double>(x[1]);
                const double power = re * re + im * im;
                d_s1[row] += power;
                d_s2[row] += power * power;
            }
        }
        if (copy) {
            const std::size_t samples =
                (turned ? d_p.inputs * spectrum : d_s1.size()) * d_p.block_spectra;
            std::memcpy(copy, spectra, samples * 2 * sizeof(T));
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
        zero_cells(d_p, blocks, cells);
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

} // namespace gr::fringe::kernels
