/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/workers.h"
#include "kernels/xengine/backends.h"
#include <algorithm>
#include <cblas.h>
#include <complex>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! Spectra summed in single precision before they join the sums: keeps the rounding of
//! long blocks at the level of short ones.
constexpr std::size_t partial_spectra = 4096;

//! For many inputs: a rank-k update per channel.
class cpu_xengine_f32 : public xengine
{
public:
    explicit cpu_xengine_f32(const xengine_params& p)
        : d_p(p),
          d_workers(workers::shared()),
          d_squares(d_workers->slots(),
                    aligned_vector<std::complex<float>>(p.inputs * p.inputs)),
          d_sums(p.channels * baselines(p.inputs))
    {
        // The flowgraph and the workers are the parallelism; OpenBLAS's threads would
        // only get in their way. Its number of threads is one for the whole process:
        // OpenBLAS 0.3.21 (Debian 12) has no openblas_set_num_threads_local(). It is set
        // once and not put back, because other X-engines may be computing by then.
        openblas_set_num_threads(1);
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        const auto in = static_cast<const std::complex<float>*>(spectra);
        const std::size_t cost = baselines(d_p.inputs) * count;
        const auto add = [&](std::size_t channel, std::size_t channels, unsigned slot) {
            const auto rows = in + channel * d_p.inputs * d_p.block_spectra + first;
            const auto sums = d_sums.data() + channel * baselines(d_p.inputs);
            for (std::size_t t = 0; t < count; t += partial_spectra) {
                const std::size_t n = std::min(partial_spectra, count - t);
                multiply(rows + t, n, channels, d_squares[slot].data(), sums);
            }
        };
        share_channels(*d_workers, d_p.channels, cost, add);
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
    //! Upper triangles of X X^H, straight from the block, by way of `square`.
    void multiply(const std::complex<float>* rows,
                  std::size_t count,
                  std::size_t channels,
                  std::complex<float>* square,
                  std::complex<float>* sums) const
    {
        const auto n = static_cast<blasint>(d_p.inputs);
        for (std::size_t c = 0; c < channels; c++) {
            cblas_cherk(CblasRowMajor,
                        CblasUpper,
                        CblasNoTrans,
                        n,
                        static_cast<blasint>(count),
                        1.0f,
                        rows + c * d_p.inputs * d_p.block_spectra,
                        static_cast<blasint>(d_p.block_spectra),
                        0.0f,
                        square,
                        n);
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                for (std::size_t j = i; j < d_p.inputs; j++) {
                    *sums++ += square[i * d_p.inputs + j];
                }
            }
        }
    }

    const xengine_params d_p;
    const std::shared_ptr<workers> d_workers;
    //! [slot]: one channel, [i][j].
    std::vector<aligned_vector<std::complex<float>>> d_squares;
    aligned_vector<std::complex<float>> d_sums; //!< [channel][baseline]
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_f32(const xengine_params& p)
{
    return std::make_unique<cpu_xengine_f32>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
