/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/require.h"
#include "kernels/kurtosis/backends.h"
#include "kernels/kurtosis/cpu_sums.h"
#include <algorithm>
#include <type_traits>

namespace gr::fringe::kernels {

namespace {

// Sums of int8 are integers, those of float32 float32.
template <class T>
class cpu_kurtosis : public kurtosis
{
public:
    explicit cpu_kurtosis(const kurtosis_params& p)
        : d_p(p),
          d_rows(p.layout == spectra_layout::time_major ? p.inputs
                                                        : p.inputs * p.channels),
          d_s1(p.layout == spectra_layout::time_major ? p.inputs * spectra_row(p.channels)
                                                      : (d_rows + 7) / 8 * 8),
          d_s2(d_s1.size())
    {
    }

    void add(const void* spectra, std::size_t count, void* copy) override
    {
        check_spectra(d_p, count);
        const auto x = static_cast<const T*>(spectra);
        if (d_p.layout == spectra_layout::channel_major) {
            add_rows(x, {d_rows, 2 * d_p.block_spectra, count}, static_cast<T*>(copy));
            return;
        }
        const std::size_t spectrum = 2 * spectra_row(d_p.channels);
        const std::size_t stride = d_p.block_spectra * spectrum;
        add_columns(x, {d_rows, stride, count, d_p.channels, spectrum});
        if (copy) {
            std::memcpy(copy, spectra, d_rows * stride * sizeof(T));
        }
    }

    void read(float* s1, float* s2) const override
    {
        const bool turned = d_p.layout == spectra_layout::time_major;
        for (std::size_t c = 0, k = 0; c < d_p.channels; ++c) {
            for (std::size_t i = 0; i < d_p.inputs; ++i, ++k) {
                const std::size_t at = turned ? i * spectra_row(d_p.channels) + c : k;
                s1[k] = static_cast<float>(d_s1[at]);
                s2[k] = static_cast<float>(d_s2[at]);
            }
        }
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
    using sum = std::conditional_t<std::is_same_v<T, float>, float, std::uint64_t>;

    void add_rows(const T* x, const block_shape& shape, T* copy)
    {
        if constexpr (std::is_same_v<T, float>) {
            add_rows_f32(x, shape, copy, d_s1.data(), d_s2.data());
        } else {
            add_rows_i8(x, shape, copy, d_s1.data(), d_s2.data());
        }
    }

    void add_columns(const T* x, const block_shape& shape)
    {
        if constexpr (std::is_same_v<T, float>) {
            add_columns_f32(x, shape, d_s1.data(), d_s2.data());
        } else {
            add_columns_i8(x, shape, d_s1.data(), d_s2.data());
        }
    }

    const kurtosis_params d_p;
    const std::size_t d_rows;
    aligned_vector<sum> d_s1, d_s2; // as cpu_sums.h says
};

} // namespace

std::unique_ptr<kurtosis> make_cpu_kurtosis(const kurtosis_params& p)
{
    require("kurtosis",
            p.block_spectra < max_block_spectra,
            "block_spectra is " + std::to_string(p.block_spectra) +
                "; on a CPU it must be less than " + std::to_string(max_block_spectra));
    if (p.in == component::i8) {
        return std::make_unique<cpu_kurtosis<std::int8_t>>(p);
    }
    return std::make_unique<cpu_kurtosis<float>>(p);
}

} // namespace gr::fringe::kernels
