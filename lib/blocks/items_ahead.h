/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H
#define INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H

#include "kernels/cores/cores.h"
#include <algorithm>

namespace gr {
namespace fringe {

/*!
 * Items of so many bytes that the ring behind a block should hold, so that all cores have
 * some to work on. Behind those that work on the cores: `cores`. Before them more, since
 * an item there is in use until a core has read it, and the threads that fill the ring
 * wait for theirs while the cores are busy.
 */
inline std::size_t items_ahead(std::size_t bytes, const kernels::device* cores)
{
    constexpr std::size_t most_bytes = std::size_t(256) << 20;
    if (cores) {
        return std::min(cores->items_ahead(), most_bytes / bytes);
    }
    const auto later = kernels::shared_cores();
    return later ? std::min(2 * later->items_ahead(), most_bytes / 4 / bytes) : 0;
}

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H */
