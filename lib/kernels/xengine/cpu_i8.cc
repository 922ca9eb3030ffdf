/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/workers.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/products.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

class cpu_xengine_i8 : public xengine
{
public:
    explicit cpu_xengine_i8(const xengine_params& p)
        : d_p(p),
          d_tile(tile_spectra(p)),
          // Rows a line apart from the power of two, lest they share lines of the cache.
          d_stride(2 * d_tile + product_step),
          d_workers(workers::shared()),
          d_rows(d_workers->slots(),
                 aligned_vector<std::int16_t>(2 * p.inputs * d_stride)),
          d_sums(2 * p.channels * baselines(p.inputs))
    {
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        check_exact(d_spectra + count);
        d_spectra += count;
        const auto in = static_cast<const std::int8_t*>(spectra);
        const std::size_t cost = baselines(d_p.inputs) * count;
        const auto add = [&](std::size_t channel, std::size_t channels, unsigned slot) {
            const auto x = d_rows[slot].data();
            for (std::size_t c = channel; c < channel + channels; c++) {
                add_channel(in, first, count, c, x, x + d_p.inputs * d_stride);
            }
        };
        share_channels(*d_workers, d_p.channels, cost, add);
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
    void add_channel(const std::int8_t* in,
                     std::size_t first,
                     std::size_t count,
                     std::size_t channel,
                     std::int16_t* x,
                     std::int16_t* y)
    {
        for (std::size_t t = 0; t < count; t += d_tile) {
            const std::size_t n = std::min(d_tile, count - t);
            const std::size_t values =
                (2 * n + product_step - 1) / product_step * product_step;
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                const std::size_t at =
                    (channel * d_p.inputs + i) * d_p.block_spectra + first + t;
                widen_pairs(in + 2 * at, n, values, x + i * d_stride, y + i * d_stride);
            }
            add_products_i16(x,
                             y,
                             d_p.inputs,
                             d_stride,
                             values,
                             d_sums.data() + 2 * channel * baselines(d_p.inputs));
        }
    }

    //! The widened rows of all inputs, 8 bytes a sample, in about 256 KB.
    static std::size_t tile_spectra(const xengine_params& p)
    {
        const std::size_t fit = std::clamp<std::size_t>(32768 / p.inputs, 128, 1024);
        return std::min(fit, (p.block_spectra + 15) / 16 * 16) / 16 * 16;
    }

    const xengine_params d_p;
    const std::size_t d_tile;   //!< spectra widened at a time, a multiple of 16
    const std::size_t d_stride; //!< values between rows
    const std::shared_ptr<workers> d_workers;
    //! [slot]: the widened rows, all x and then all y.
    std::vector<aligned_vector<std::int16_t>> d_rows;
    aligned_vector<std::int32_t> d_sums; //!< [channel][baseline], (re, im)
    std::size_t d_spectra = 0;
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_i8(const xengine_params& p)
{
    return std::make_unique<cpu_xengine_i8>(p);
}

} // namespace gr::fringe::kernels
