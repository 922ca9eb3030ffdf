/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_STREAM_COPY_H
#define INCLUDED_FRINGE_IO_STREAM_COPY_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gr {
namespace fringe {
namespace io {

//! Copies to an address that is a multiple of 64. Whole cache lines go past the cache, as
//! they are read by another core, and much later.
inline void stream_copy(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes)
{
#ifdef __SSE2__
    if (bytes % 64 == 0) {
        for (std::size_t k = 0; k < bytes; k += 16) {
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + k),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
        }
        return;
    }
#endif
    std::memcpy(to, from, bytes);
}

//! Makes what was copied visible to other cores, before they are told of it.
inline void stream_fence()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_STREAM_COPY_H */
