/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_STREAM_COPY_H
#define INCLUDED_FRINGE_KERNELS_STREAM_COPY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gr::fringe::kernels {

//! Copies bytes. Whole cache lines of the destination go past the cache, as they are read
//! by another core, and much later.
inline void stream_copy(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes)
{
#ifdef __SSE2__
    constexpr std::size_t line = 64;
    const std::size_t before =
        std::min((line - reinterpret_cast<std::uintptr_t>(to) % line) % line, bytes);
    std::memcpy(to, from, before);
    to += before;
    from += before;
    bytes -= before;
    for (; bytes >= line; bytes -= line, to += line, from += line) {
        const auto* in = reinterpret_cast<const __m128i*>(from);
        auto* out = reinterpret_cast<__m128i*>(to);
        const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1),
                      c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
#endif
    std::memcpy(to, from, bytes);
}

//! Makes what was copied visible to other cores, before they are notified.
inline void stream_fence()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_STREAM_COPY_H */
