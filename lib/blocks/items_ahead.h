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
 * (kernels::shared_cores()) have some to work on, and threads that hand items on are woken
 * for several at once. `raw`: the ring is in memory, and not lent by the cores
 * (kernels::item_lines), so it should not take all of the cache.
 */
inline std::size_t items_ahead(std::size_t bytes, bool raw)
{
    const std::size_t most_bytes = std::size_t(raw ? 64 : 256) << 20;
    const auto cores = static_cast<std::size_t>(threads());
    return std::min(16 * cores + 16, most_bytes / bytes);
}

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H */
