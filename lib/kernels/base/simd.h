/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_SIMD_H
#define INCLUDED_FRINGE_KERNELS_SIMD_H

#include <cstring>

/*!
 * FRINGE_SIMD in front of a function that is not a template: it is compiled for several
 * instruction sets and the loader takes the widest that the processor has. Elsewhere
 * (arm64 has its vectors always) it is an ordinary function. Sanitizers instrument the
 * resolvers, which run before they are ready, so they get the ordinary function too.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                  \
    __GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FRINGE_SIMD                                                                      \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
// For a function that is written three times in one file, each with vectors as long as the
// instruction set has them. Where these are not defined there is only the last.
#define FRINGE_SIMD_512 __attribute__((target("arch=x86-64-v4")))
#define FRINGE_SIMD_256 __attribute__((target("arch=x86-64-v3")))
#define FRINGE_SIMD_128 __attribute__((target("default")))
#else
#define FRINGE_SIMD
#define FRINGE_SIMD_128
#endif

// A part of such a function, whichever vectors it is compiled for.
#define FRINGE_INLINE __attribute__((always_inline)) inline

namespace gr::fringe::kernels {

//! Four floats, a vector on every processor.
typedef float narrow_floats __attribute__((vector_size(16)));

//! Eight floats; the compiler splits them where vectors are shorter.
typedef float floats __attribute__((vector_size(32)));

//! Sixteen, as wide as vectors get.
typedef float wide_floats __attribute__((vector_size(64)));

// From and to any address. By reference: vectors as values have no stable ABI.
template <class V>
FRINGE_INLINE void load(V& v, const float* from)
{
    std::memcpy(&v, from, sizeof(v));
}
template <class V>
FRINGE_INLINE void store(const V& v, float* to)
{
    std::memcpy(to, &v, sizeof(v));
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_SIMD_H */
