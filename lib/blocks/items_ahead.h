/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H
#define INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H

#include <algorithm>
#include <cstddef>
#include <gnuradio/fringe/threads.h>

namespace gr {
namespace fringe {

//! Items of so many bytes that a ring in memory should hold, so that all cores
//! (kernels::shared_cores()) have some to work on, and it does not take all of the cache.
inline std::size_t items_ahead(std::size_t bytes)
{
    const auto cores = static_cast<std::size_t>(threads());
    return std::min(16 * cores + 16, (std::size_t(64) << 20) / bytes);
}

//! The same of a ring that the cores lend (kernels::item_lines). There items cost nothing
//! before they are worked on, and should last for some ten milliseconds: so long may a
//! thread that hands them on wait for a core that is at work.
inline std::size_t items_ahead_lent(std::size_t bytes, std::size_t most_bytes)
{
    const auto cores = static_cast<std::size_t>(threads());
    return std::min(64 * cores + 64, most_bytes / bytes);
}

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H */
