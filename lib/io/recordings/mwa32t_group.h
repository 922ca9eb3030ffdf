/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MWA32T_GROUP_H
#define INCLUDED_FRINGE_IO_MWA32T_GROUP_H

#include <cstddef>
#include <cstdint>

namespace gr::fringe::io {

/*!
 * What a receiver of the 32-tile Murchison Widefield Array sends, to a file or a socket:
 * groups of 17 little-endian 16-bit words, a counter and one mwa16 sample of each of 16
 * inputs. The counter goes up by one a group, modulo 65536: one that goes up by k + 1
 * tells of k groups that were lost.
 */
namespace mwa32t {

constexpr std::size_t streams = 16; // 8 antennas x 2 polarizations
constexpr std::size_t group_bytes = 2 * (1 + streams);
constexpr std::size_t sample_bytes = 2 * streams;

inline std::uint16_t word_at(const std::uint8_t* raw)
{
    return static_cast<std::uint16_t>(raw[0] | raw[1] << 8);
}

//! The counter `at` of a group between two others. Where those say that it is the one
//! between, it is, whatever it says itself: one damaged word does not move all time
//! behind it.
inline std::uint16_t
counter_between(std::uint16_t before, std::uint16_t at, std::uint16_t after)
{
    const bool neighbors = static_cast<std::uint16_t>(after - before) == 2;
    return neighbors ? static_cast<std::uint16_t>(before + 1) : at;
}

//! Groups from a counter to the one after it, lost ones included.
inline std::uint64_t steps(std::uint16_t from, std::uint16_t to)
{
    const auto jump = static_cast<std::uint16_t>(to - from);
    return jump == 0 ? 65536 : jump;
}

} // namespace mwa32t
} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MWA32T_GROUP_H */
