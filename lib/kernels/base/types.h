/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_TYPES_H
#define INCLUDED_FRINGE_KERNELS_TYPES_H

#include <complex>
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <stdexcept>
#include <string>

namespace gr::fringe::kernels {

//! Type of one component (a real sample, or the real or imaginary part of a complex one). The
//! last is a level_byte, which only the F-engine reads, on a device.
enum class component { i8, i16, f32, level };

inline std::size_t component_bytes(component c)
{
    return c == component::f32 ? 4 : c == component::i16 ? 2 : 1;
}

inline const char* component_name(component c)
{
    constexpr const char* names[] = {"i8", "i16", "f32", "level"};
    return names[static_cast<std::size_t>(c)];
}

//! From "i8", "i16", "f32" or "level"; throws std::invalid_argument.
FRINGE_API component component_from_name(const std::string& name);

//! How a block of spectra is laid out.
enum class spectra_layout {
    channel_major, //!< [channel][input][time], complex
    tensor_tiles, //!< int8 planes for tensor cores, see xengine/tiles.h; on a device only
    time_major,   //!< [input][time][channel], complex, spectra_row() apart; on a CPU only
    //! The same without gaps, as large as channel_major, for items of streams: of complex
    //! samples, channels a multiple of 8.
    time_major_items,
};

inline bool is_time_major(spectra_layout layout)
{
    return layout == spectra_layout::time_major ||
           layout == spectra_layout::time_major_items;
}

//! Samples from one spectrum to the next in a layout that is time_major: whole cache lines of
//! complex float32, and one more where they are not items of a stream. With it neighbors do not
//! fall on the same lines of the cache, a real transform has room for its last bin, and a vector
//! that begins in a spectrum ends there.
inline std::size_t spectra_row(std::size_t channels,
                               spectra_layout layout = spectra_layout::time_major)
{
    const std::size_t lines = (channels + 7) / 8 * 8;
    return layout == spectra_layout::time_major_items ? lines : lines + 8;
}

//! A run of cells, channels of inputs numbered channel * inputs + input, of a block of
//! spectra.
struct cell_run {
    std::uint32_t first;
    std::uint32_t count;
    bool operator==(const cell_run& o) const
    {
        return first == o.first && count == o.count;
    }
};

//! Number of products (i, j), i <= j, of n inputs.
inline std::size_t baselines(std::size_t n) { return n * (n + 1) / 2; }

//! Place of the product (i, j), i <= j, among those of n inputs (row-major upper
//! triangle).
inline std::size_t baseline_index(std::size_t i, std::size_t j, std::size_t n)
{
    return i * n - i * (i + 1) / 2 + j;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_TYPES_H */
