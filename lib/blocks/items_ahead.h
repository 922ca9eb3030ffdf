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

/*!
 * Items of so many bytes that the ring behind a block should hold, so that all cores
 * (kernels::shared_cores()) have some to work on. Before those that work there, `raw`,
 * more: an item is in use until a core has read it, and the threads that fill the ring
 * wait for theirs while the cores are busy.
 */
inline std::size_t items_ahead(std::size_t bytes, bool raw)
{
    constexpr std::size_t most_bytes = std::size_t(256) << 20;
    const auto cores = static_cast<std::size_t>(threads());
    const std::size_t items = 8 * cores + 8;
    return raw ? std::min(2 * items, most_bytes / 4 / bytes)
               : std::min(items, most_bytes / bytes);
}

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H */
