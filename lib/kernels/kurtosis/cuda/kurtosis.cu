/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/staging.h"
#include "kernels/kurtosis/backends.h"
#include "kernels/kurtosis/cuda/backend.h"
#include "kernels/kurtosis/cuda/sums.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

__device__ float as_float(unsigned long long sum) { return __ull2float_rn(sum); }
__device__ float as_float(double sum) { return static_cast<float>(sum); }

template <class Sum>
__global__ void
read_sums(const Sum* s1, const Sum* s2, std::size_t cells, float* out1, float* out2)
{
    const std::size_t cell = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (cell < cells) {
        out1[cell] = as_float(s1[cell]);
        out2[cell] = as_float(s2[cell]);
    }
}

template <class T>
class cuda_kurtosis : public kurtosis
{
public:
    cuda_kurtosis(const cuda_context& c, const kurtosis_params& p)
        : d_context(c),
          d_p(p),
          d_block{p.inputs, p.channels, p.block_spectra},
          d_cells(p.channels * p.inputs),
          d_sums(c, 2 * d_cells),
          d_runs(c, d_cells / 2 + 1),
          d_staging(c, d_runs.bytes())
    {
        clear();
    }

    void add(const void* spectra, std::size_t count, void* copy) override
    {
        check_spectra(d_p, count);
        d_context.use();
        const kurtosis_task<T> task{
            spectra, copy, d_block, count, d_sums.data(), d_sums.data() + d_cells};
        if constexpr (sizeof(T) == 1) {
            if (d_p.layout == spectra_layout::tensor_tiles) {
                launch_sum_tiles(d_context, task);
                return;
            }
        }
        launch_sum_rows(d_context, task);
    }

    void read(float* s1, float* s2) const override
    {
        constexpr unsigned threads = 256;
        d_context.use();
        read_sums<<<static_cast<unsigned>((d_cells + threads - 1) / threads),
                    threads,
                    0,
                    d_context.compute>>>(
            d_sums.data(), d_sums.data() + d_cells, d_cells, s1, s2);
        check_launch("kurtosis: reading the sums");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
    }

    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        check_cells(d_p, cells);
        if (cells.empty()) {
            return;
        }
        d_context.use();
        d_staging.copy(d_runs.data(), cells.data(), cells.size() * sizeof(cell_run));
        const auto longest = std::max_element(
            cells.begin(), cells.end(), [](const cell_run& a, const cell_run& b) {
                return a.count < b.count;
            });
        for (std::size_t n = 0; n < blocks.size(); n += blocks_to_zero::maximum) {
            blocks_to_zero some;
            some.count = static_cast<unsigned>(
                std::min<std::size_t>(blocks_to_zero::maximum, blocks.size() - n));
            std::copy_n(
                blocks.begin() + static_cast<std::ptrdiff_t>(n), some.count, some.at);
            if (d_p.layout == spectra_layout::tensor_tiles) {
                launch_zero_tiles(d_context,
                                  some,
                                  d_block,
                                  d_runs.data(),
                                  cells.size(),
                                  longest->count);
            } else {
                launch_zero_rows(d_context,
                                 some,
                                 d_p.block_spectra * 2 * sizeof(T),
                                 d_runs.data(),
                                 cells.size(),
                                 longest->count);
            }
        }
    }

private:
    const cuda_context& d_context;
    const kurtosis_params d_p;
    const tile_layout d_block;
    const std::size_t d_cells;
    cuda_array<typename kurtosis_sum<T>::type> d_sums; // S1, S2: [channel][input]
    cuda_array<cell_run> d_runs;
    staging d_staging;
};

const bool registered =
    kurtosis_factory().set([](std::size_t index, const kurtosis_params& p) {
        return make_cuda_kurtosis(context_of(index), p);
    });

} // namespace

std::unique_ptr<kurtosis> make_cuda_kurtosis(const cuda_context& c,
                                             const kurtosis_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<cuda_kurtosis<std::int8_t>>(c, p);
    }
    return std::make_unique<cuda_kurtosis<float>>(c, p);
}

} // namespace gr::fringe::kernels
