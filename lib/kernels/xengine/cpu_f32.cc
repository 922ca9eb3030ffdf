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
#include <cblas.h>
#include <complex>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! From so many inputs on BLAS is faster than the vector loops.
constexpr std::size_t blas_inputs = 12;
//! Spectra summed in single precision before they join the sums: keeps the rounding of
//! long blocks at the level of short ones.
constexpr std::size_t partial_spectra = 4096;

class cpu_xengine_f32 : public xengine
{
public:
    explicit cpu_xengine_f32(const xengine_params& p)
        : d_p(p),
          d_square(p.inputs < blas_inputs ? 0 : p.inputs * p.inputs),
          d_sums(p.channels * baselines(p.inputs))
    {
        // The threads of the flowgraph are the parallelism; those of OpenBLAS would only
        // get in their way. It knows no setting but one for the whole process.
        openblas_set_num_threads(1);
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        const auto in = static_cast<const std::complex<float>*>(spectra);
        for (std::size_t c = 0; c < d_p.channels; c++) {
            const auto rows = in + c * d_p.inputs * d_p.block_spectra + first;
            const auto sums = d_sums.data() + c * baselines(d_p.inputs);
            for (std::size_t t = 0; t < count; t += partial_spectra) {
                const std::size_t n = std::min(partial_spectra, count - t);
                if (d_square.empty()) {
                    add_products_f32(reinterpret_cast<const float*>(rows + t),
                                     d_p.inputs,
                                     d_p.block_spectra,
                                     n,
                                     reinterpret_cast<float*>(sums));
                } else {
                    multiply(rows + t, n);
                    add_triangle(sums);
                }
            }
        }
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        const std::size_t products = baselines(d_p.inputs);
        std::copy_n(d_sums.data() + first * products,
                    count * products,
                    static_cast<std::complex<float>*>(out));
    }

    void clear() override { std::fill(d_sums.begin(), d_sums.end(), 0.0f); }

private:
    //! Upper triangle of X X^H, straight from the block.
    void multiply(const std::complex<float>* rows, std::size_t count)
    {
        const auto n = static_cast<blasint>(d_p.inputs);
        cblas_cherk(CblasRowMajor,
                    CblasUpper,
                    CblasNoTrans,
                    n,
                    static_cast<blasint>(count),
                    1.0f,
                    rows,
                    static_cast<blasint>(d_p.block_spectra),
                    0.0f,
                    d_square.data(),
                    n);
    }

    void add_triangle(std::complex<float>* sums) const
    {
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            const auto row = d_square.data() + i * d_p.inputs;
            for (std::size_t j = i; j < d_p.inputs; j++) {
                *sums++ += row[j];
            }
        }
    }

    const xengine_params d_p;
    aligned_vector<std::complex<float>> d_square; //!< one channel, [i][j]; empty: no BLAS
    aligned_vector<std::complex<float>> d_sums;   //!< [channel][baseline]
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_f32(const xengine_params& p)
{
    return std::make_unique<cpu_xengine_f32>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
