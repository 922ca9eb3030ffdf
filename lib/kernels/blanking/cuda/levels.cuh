/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_CUH
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_CUH

#include "kernels/blanking/blanking.h"
#include <cstdint>
#include <type_traits>

namespace gr::fringe::kernels {

//! Held voltages of some inputs: input i begins at i row samples.
template <class T>
struct held_rows {
    T* first;
    std::size_t row;
};

//! The cells of windows; all have room for `cells`, and the last may have `last`.
struct window_cells {
    unsigned inputs, windows, cells, last;

    __device__ unsigned of_window(unsigned k) const
    {
        return k + 1 < windows ? cells : last;
    }
};

/*!
 * The powers of cells, [window][input][cell]; -1 where a window has no such cell. Integers: a
 * thread a sample, since their sum does not depend on the order. Floats: a thread a cell.
 * blockIdx.y: input, blockIdx.z: window.
 */
template <class T, unsigned Parts>
__global__ void cell_powers_kernel(const held_rows<const T> x,
                                   std::size_t window,
                                   window_cells of,
                                   double* powers)
{
    constexpr unsigned lanes = std::is_same_v<T, float> ? 1 : blanking::cell;
    const std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t cell = n / lanes;
    const bool there = cell < of.of_window(blockIdx.z);
    const std::size_t first = blockIdx.y * x.row + blockIdx.z * window;
    double power = -1;
    if constexpr (lanes == 1) {
        const T* const value = x.first + (first + cell * blanking::cell) * Parts;
        double sum = 0;
        for (unsigned k = 0; there && k < blanking::cell * Parts; k++) {
            sum = __dadd_rn(sum, __dmul_rn(value[k], value[k]));
        }
        power = there ? sum : power;
    } else {
        using whole = std::conditional_t<sizeof(T) == 1, unsigned, unsigned long long>;
        whole sum = 0;
        for (unsigned k = 0; there && k < Parts; k++) {
            const int value = x.first[(first + n) * Parts + k];
            sum += static_cast<whole>(value * value);
        }
        for (unsigned k = lanes / 2; k > 0; k /= 2) {
            sum += __shfl_xor_sync(~0u, sum, k);
        }
        power = there ? static_cast<double>(sum) : power;
    }
    if (cell < of.cells && n % lanes == 0) {
        powers[(blockIdx.z * std::size_t(of.inputs) + blockIdx.y) * of.cells + cell] =
            power;
    }
}

//! A thread block a run of lost samples, counted from the first window.
__global__ void lose_cells_kernel(const sample_run* lost,
                                  std::size_t first,
                                  std::size_t window,
                                  window_cells of,
                                  double* powers);

//! A thread block a row of cells, blockIdx.x: row, blockIdx.y: window: their quartiles, and 1 /
//! median as a double where that is above 0 and the input is good, else 0.
struct level_rows {
    std::size_t rows; //!< in a window
    cell_levels *levels, *copy;
    std::size_t stride; //!< levels of a window
    double* inverse;    //!< [window][row], or null
    const char* bad;    //!< [row], or null
};
template <class Value>
__global__ void quartiles_kernel(const Value* values, window_cells of, level_rows to);

//! A thread a cell, blockIdx.y: window: the sums over the good inputs.
__global__ void sum_inputs_kernel(const double* powers,
                                  const double* inverse,
                                  window_cells of,
                                  float* sums);

//! A thread a run, blockIdx.y: window. levels: those of the sums, `stride` apart.
__global__ void runs_kernel(const float* sums,
                            const cell_levels* levels,
                            std::size_t stride,
                            window_cells of,
                            float* runs);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_CUH */
