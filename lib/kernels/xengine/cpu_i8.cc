/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/products.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

class cpu_xengine_i8 : public xengine
{
public:
    explicit cpu_xengine_i8(const xengine_params& p)
        : d_p(p),
          d_tile(tile_spectra(p)),
          // Rows a line apart from the power of two, lest they share lines of the cache.
          d_stride(2 * d_tile + product_step),
          d_x(p.inputs * d_stride),
          d_y(p.inputs * d_stride),
          d_sums(2 * p.channels * baselines(p.inputs))
    {
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        check_exact(d_spectra + count);
        d_spectra += count;
        const auto in = static_cast<const std::int8_t*>(spectra);
        for (std::size_t c = 0; c < d_p.channels; c++) {
            for (std::size_t t = 0; t < count; t += d_tile) {
                const std::size_t n = std::min(d_tile, count - t);
                const std::size_t values =
                    (2 * n + product_step - 1) / product_step * product_step;
                for (std::size_t i = 0; i < d_p.inputs; i++) {
                    const std::size_t at =
                        (c * d_p.inputs + i) * d_p.block_spectra + first + t;
                    widen_pairs(in + 2 * at,
                                n,
                                values,
                                d_x.data() + i * d_stride,
                                d_y.data() + i * d_stride);
                }
                add_products_i16(d_x.data(),
                                 d_y.data(),
                                 d_p.inputs,
                                 d_stride,
                                 values,
                                 d_sums.data() + 2 * c * baselines(d_p.inputs));
            }
        }
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        const std::size_t values = 2 * baselines(d_p.inputs);
        std::copy_n(d_sums.data() + first * values,
                    count * values,
                    static_cast<std::int32_t*>(out));
    }

    void clear() override
    {
        std::fill(d_sums.begin(), d_sums.end(), 0);
        d_spectra = 0;
    }

private:
    //! The widened rows of all inputs, 8 bytes a sample, in about 256 KB.
    static std::size_t tile_spectra(const xengine_params& p)
    {
        const std::size_t fit = std::clamp<std::size_t>(32768 / p.inputs, 128, 1024);
        return std::min(fit, (p.block_spectra + 15) / 16 * 16) / 16 * 16;
    }

    const xengine_params d_p;
    const std::size_t d_tile;   //!< spectra widened at a time, a multiple of 16
    const std::size_t d_stride; //!< values between rows
    aligned_vector<std::int16_t> d_x;
    aligned_vector<std::int16_t> d_y;
    aligned_vector<std::int32_t> d_sums; //!< [channel][baseline], (re, im)
    std::size_t d_spectra = 0;
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_i8(const xengine_params& p)
{
    return std::make_unique<cpu_xengine_i8>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
