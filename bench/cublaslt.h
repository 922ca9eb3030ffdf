/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BENCH_CUBLASLT_H
#define INCLUDED_FRINGE_BENCH_CUBLASLT_H

#include "cuda_noise.h"
#include "cuda_timing.h"
#include <dlfcn.h>
#include <type_traits>
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define FRINGE_CUBLASLT
#endif

// The ceiling of matrix products: cuBLASLt's, in the same run.
namespace gr::fringe::kernels {

//! `batch` products of m x k and k x n matrices, both with k running fastest.
struct gemm_shape {
    std::size_t m, n, k, batch = 1;
};

//! Operations per second, the best of all ways that cuBLASLt proposes; 0: not found. T: int8
//! (summed in int32) or 16-bit floats (summed in float32, sums rounded to 16 bits).
template <class T>
double gemm_rate([[maybe_unused]] const cuda_context& c,
                 [[maybe_unused]] int runs,
                 [[maybe_unused]] const gemm_shape& s)
{
#ifdef FRINGE_CUBLASLT
    static void* const library = [] {
        void* found = nullptr;
        for (const char* name :
             {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
            found = found ? found : dlopen(name, RTLD_NOW);
        }
        return found;
    }();
    if (!library) {
        return 0;
    }
    const auto find = [&](auto* of, const char* name) {
        return reinterpret_cast<decltype(of)>(dlsym(library, name));
    };
    const auto create = find(&cublasLtCreate, "cublasLtCreate");
    const auto describe = find(&cublasLtMatmulDescCreate, "cublasLtMatmulDescCreate");
    const auto set =
        find(&cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
    const auto shape = find(&cublasLtMatrixLayoutCreate, "cublasLtMatrixLayoutCreate");
    const auto set_layout =
        find(&cublasLtMatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute");
    const auto prefer =
        find(&cublasLtMatmulPreferenceCreate, "cublasLtMatmulPreferenceCreate");
    const auto set_preference = find(&cublasLtMatmulPreferenceSetAttribute,
                                     "cublasLtMatmulPreferenceSetAttribute");
    const auto ask =
        find(&cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
    const auto multiply = find(&cublasLtMatmul, "cublasLtMatmul");
    constexpr bool bytes = std::is_same_v<T, std::int8_t>;
    using sum = std::conditional_t<bytes, std::int32_t, T>;
    using scale = std::conditional_t<bytes, std::int32_t, float>;
    constexpr auto type = bytes ? CUDA_R_8I : CUDA_R_16F;
    constexpr auto sum_type = bytes ? CUDA_R_32I : CUDA_R_16F;
    const cuda_array<T> a(c, s.batch * s.m * s.k), b(c, s.batch * s.n * s.k);
    const cuda_array<sum> sums(c, s.batch * s.m * s.n);
    for (const auto* to : {&a, &b}) {
        fill_row<<<4096, 256, 0, c.compute>>>(noise7, to->data(), to->size());
    }
    const auto layout = [&](cudaDataType_t of, std::size_t rows, std::size_t columns) {
        cublasLtMatrixLayout_t made = nullptr;
        const auto stride = static_cast<std::int64_t>(rows * columns);
        const auto batch = static_cast<std::int32_t>(s.batch);
        shape(&made, of, rows, columns, static_cast<std::int64_t>(rows));
        set_layout(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch));
        set_layout(
            made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride));
        return made;
    };
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    if (create(&handle) ||
        describe(&product,
                 bytes ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
                 bytes ? CUDA_R_32I : CUDA_R_32F) ||
        set(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed))) {
        return 0;
    }
    const auto of_a = layout(type, s.k, s.m), of_b = layout(type, s.k, s.n);
    const auto of_sums = layout(sum_type, s.m, s.n);
    constexpr std::size_t work_bytes = 64 << 20;
    const cuda_array<char> work(c, work_bytes);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t ways[8];
    int found = 0;
    if (prefer(&preference) ||
        set_preference(preference,
                       CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                       &work_bytes,
                       sizeof(work_bytes)) ||
        ask(handle, product, of_a, of_b, of_sums, of_sums, preference, 8, ways, &found)) {
        return 0;
    }
    const scale alpha = 1, beta = 0;
    double best = 0;
    for (int k = 0; k < found; k++) {
        bool good = true;
        const auto time = time_of(c, runs, [&] {
            good &= multiply(handle,
                             product,
                             &alpha,
                             a.data(),
                             of_a,
                             b.data(),
                             of_b,
                             &beta,
                             sums.data(),
                             of_sums,
                             sums.data(),
                             of_sums,
                             &ways[k].algo,
                             work.data(),
                             work_bytes,
                             c.compute) == CUBLAS_STATUS_SUCCESS;
        });
        if (good) {
            best = std::max(best, 2e3 * s.m * s.n * s.k * s.batch / time.median);
        }
    }
    return best;
#else
    return 0;
#endif
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_BENCH_CUBLASLT_H */
