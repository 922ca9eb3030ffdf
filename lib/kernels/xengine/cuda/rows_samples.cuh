/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_SAMPLES_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_SAMPLES_CUH

#include <cstddef>
#include <cstdint>

namespace gr::fringe::kernels {

// What a lane reads of a row at a time, and how it multiplies two of them:
//
//     sample, sum       complex sample in memory; component of a sum
//     width             samples read at a time
//     raw               what is read of an input
//     load(row)         of aligned rows
//     load(row, there)  only `there` samples, perhaps none; the others count as zero
//     x                 the same ready to be multiplied, made by prepare()
//     add(re, im, x, y) adds the products x conj(y)
//     correct(n, y)     where it corrects: adds to n what all im of products with y lack

//! Complex float32, two samples at a time.
struct f32_samples {
    using sample = float2;
    using sum = float;
    static constexpr unsigned width = 2;
    using raw = float4;
    using x = float4;
    static constexpr bool corrects = false;

    __device__ static raw load(const sample* row)
    {
        return __ldg(reinterpret_cast<const float4*>(row));
    }
    __device__ static raw load(const sample* row, unsigned there)
    {
        const float2 a = there > 0 ? __ldg(row) : make_float2(0, 0);
        const float2 b = there > 1 ? __ldg(row + 1) : make_float2(0, 0);
        return make_float4(a.x, a.y, b.x, b.y);
    }
    __device__ static x prepare(const raw& v) { return v; }
    __device__ static void add(float& re, float& im, const x& a, const x& b)
    {
        re = fmaf(a.x, b.x, re);
        im = fmaf(a.y, b.x, im);
        re = fmaf(a.y, b.y, re);
        im = fmaf(-a.x, b.y, im);
        re = fmaf(a.z, b.z, re);
        im = fmaf(a.w, b.z, im);
        re = fmaf(a.w, b.w, re);
        im = fmaf(-a.z, b.w, im);
    }
    __device__ static void correct(float&, const x&) {}
};

/*!
 * Complex int8, four bytes of products at a time, two samples. The imaginary part needs
 * (im, -re), but -re of -128 is no int8. Its complement -re - 1 is; then every product
 * lacks one im of y, which is summed for each y alone. Sums wrap on the way, and are
 * exact where the result fits.
 */
struct i8_samples {
    using sample = std::uint16_t;
    using sum = int;
    static constexpr unsigned width = 4;
    using raw = uint2; //!< re im re im
    struct x {
        unsigned straight[2]; //!< re im re im
        unsigned turned[2];   //!< im ~re im ~re
    };
    static constexpr bool corrects = true;

    __device__ static raw load(const sample* row)
    {
        return __ldg(reinterpret_cast<const uint2*>(row));
    }
    __device__ static raw load(const sample* row, unsigned there)
    {
        unsigned s[width];
#pragma unroll
        for (unsigned k = 0; k < width; k++) {
            s[k] = k < there ? __ldg(row + k) : 0;
        }
        return make_uint2(s[0] | s[1] << 16, s[2] | s[3] << 16);
    }
    __device__ static x prepare(const raw& v)
    {
        const auto turn = [](unsigned w) {
            return __byte_perm(w, 0, 0x2301) ^ 0xff00ff00;
        };
        return {{v.x, v.y}, {turn(v.x), turn(v.y)}};
    }
    __device__ static void add(int& re, int& im, const x& a, const x& b)
    {
#pragma unroll
        for (unsigned k = 0; k < 2; k++) {
            re = __dp4a(
                static_cast<int>(a.straight[k]), static_cast<int>(b.straight[k]), re);
            im = __dp4a(
                static_cast<int>(a.turned[k]), static_cast<int>(b.straight[k]), im);
        }
    }
    __device__ static void correct(int& lacks, const x& b)
    {
#pragma unroll
        for (unsigned k = 0; k < 2; k++) {
            lacks = __dp4a(static_cast<int>(b.straight[k]), 0x01000100, lacks);
        }
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_SAMPLES_CUH */
