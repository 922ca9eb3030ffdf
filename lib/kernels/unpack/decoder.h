/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_DECODER_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_DECODER_H

#include "kernels/base/level_byte.h"
#include "kernels/unpack/encoding.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

/*!
 * From a decoder of one word to the encoding of a format of interleaved words,
 * [time][stream].
 *
 * A decoder D says
 *
 *     static constexpr sample_code code = ...;
 *     using word = ...;                             // what is stored, little-endian
 *     static constexpr bool is_complex = ...;
 *     static constexpr std::size_t words_per_sample = ...;
 *     static constexpr component natural = ...;     // narrowest that holds every value
 *     static constexpr float rail = ...;            // see encoding
 *     static auto decode(word w, unsigned part);    // part 0: real, 1: imaginary
 *
 * A complex sample is either one word (words_per_sample = 1, decode() called twice) or
 * two, real then imaginary (words_per_sample = 2). Raw bytes may lie at any address.
 */
template <class D>
encoding interleaved_encoding();

namespace detail {

template <component c>
struct component_type {
    using type = float;
};
template <>
struct component_type<component::i8> {
    using type = std::int8_t;
};
template <>
struct component_type<component::i16> {
    using type = std::int16_t;
};
template <>
struct component_type<component::level> {
    using type = level_byte;
};

template <class D>
inline typename D::word load_word(const std::uint8_t* raw, std::size_t index)
{
    typename D::word w;
    std::memcpy(&w, raw + index * sizeof(w), sizeof(w));
    return w;
}

//! One row of `count` samples; `step` streams lie between two samples of a stream.
template <class D, class Out>
inline void unpack_row(const std::uint8_t* raw,
                       std::size_t step,
                       std::size_t count,
                       Out* __restrict out)
{
    constexpr std::size_t parts = D::is_complex ? 2 : 1;
    constexpr std::size_t words = D::words_per_sample;
    static_assert(words == 1 || words == parts, "a word is a sample or a component");
    for (std::size_t t = 0; t < count; t++) {
        for (unsigned part = 0; part < parts; part++) {
            const auto index = t * step * words + (words > 1 ? part : 0);
            out[parts * t + part] =
                static_cast<Out>(D::decode(load_word<D>(raw, index), part));
        }
    }
}

template <class D, class Out>
void unpack_generic(const std::uint8_t* raw,
                    std::size_t streams,
                    std::size_t samples,
                    const std::size_t* rows,
                    void* out,
                    std::size_t stride)
{
    constexpr std::size_t parts = D::is_complex ? 2 : 1;
    for (std::size_t s = 0; s < streams; s++) {
        unpack_row<D>(raw + s * D::words_per_sample * sizeof(typename D::word),
                      streams,
                      samples,
                      static_cast<Out*>(out) + rows[s] * stride * parts);
    }
}

//! The corner turn in tiles that stay in the first-level cache: a line of the raw block
//! is read once, a line of every row is written whole.
template <class D, class Out>
void unpack_cpu(const std::uint8_t* raw,
                std::size_t streams,
                std::size_t samples,
                const std::size_t* rows,
                void* out,
                std::size_t stride)
{
    constexpr std::size_t parts = D::is_complex ? 2 : 1;
    constexpr std::size_t sample_bytes = D::words_per_sample * sizeof(typename D::word);
    constexpr std::size_t tile_streams = 64 / sample_bytes;
    const std::size_t tile_samples = streams > 4 ? 128 : 512;

    for (std::size_t t = 0; t < samples; t += tile_samples) {
        const std::size_t count = std::min(tile_samples, samples - t);
        for (std::size_t s0 = 0; s0 < streams; s0 += tile_streams) {
            for (std::size_t s = s0; s < std::min(streams, s0 + tile_streams); s++) {
                const auto from = raw + (t * streams + s) * sample_bytes;
                const auto to = static_cast<Out*>(out) + (rows[s] * stride + t) * parts;
                // A step known to the compiler lets it use vectors.
                switch (streams) {
                case 1:
                    unpack_row<D>(from, 1, count, to);
                    break;
                case 2:
                    unpack_row<D>(from, 2, count, to);
                    break;
                case 4:
                    unpack_row<D>(from, 4, count, to);
                    break;
                default:
                    unpack_row<D>(from, streams, count, to);
                }
            }
        }
    }
}

template <class D, component c>
void add_component(encoding& e)
{
    // The components are ordered from narrow to wide.
    if constexpr (c >= D::natural) {
        using out = typename component_type<c>::type;
        constexpr auto at = static_cast<std::size_t>(c);
        e.unpack[static_cast<std::size_t>(backend::generic)][at] = unpack_generic<D, out>;
        e.unpack[static_cast<std::size_t>(backend::cpu)][at] = unpack_cpu<D, out>;
    }
}

} // namespace detail

template <class D>
encoding interleaved_encoding()
{
    encoding e;
    e.code = D::code;
    e.is_complex = D::is_complex;
    e.bits = 8 * sizeof(typename D::word) * D::words_per_sample;
    e.natural = D::natural;
    e.rail = D::rail;
    detail::add_component<D, component::i8>(e);
    detail::add_component<D, component::i16>(e);
    detail::add_component<D, component::f32>(e);
    return e;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_DECODER_H */
