/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_RING_SIZES_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_RING_SIZES_H

#include "blocks/compute/compute_input.h"
#include <algorithm>

namespace gr::fringe {

// Lengths of rings whose items lie on a device: what the blocks make, and what a plan of the
// memory counts.

//! Windows that a device adds up before the first of them is decided on: its work waits for
//! all copies that were asked for before.
inline std::size_t windows_ahead(std::size_t window_items)
{
    return 2 + compute_input::max_copies / window_items;
}

//! Items in the ring of a block that holds windows back: those, the window under way, and the item
//! of a ring that stays empty.
inline std::size_t window_ring_items(std::size_t window_items)
{
    return (windows_ahead(window_items) + 1) * window_items + 1;
}

//! Items of a dump on the way from a device to the host. They arrive after everything that the
//! device was asked for before, and as many are sent at a time as there is room for: with room for a
//! few only, a large sum is not sent when the next one has come.
inline std::size_t dump_ring_items(std::size_t item_bytes, std::size_t items_of_dump)
{
    constexpr std::size_t ring_bytes = std::size_t(512) << 20;
    return std::min(ring_bytes / item_bytes + 1, items_of_dump + 1);
}

//! Items in a ring on a device, for items of so many bytes of which `least` have to fit in.
FRINGE_API std::size_t device_ring_items(std::size_t item_bytes, std::size_t least);

//! Items in the ring before a block of this rate (1 : rate) or output multiple, at least: as GNU
//! Radio makes it.
inline std::size_t ring_before(std::size_t rate) { return 2 * (rate + 1); }

//! What a block that takes several items together says of its rate, so that the ring before it has
//! room for them, for the one that stays empty, and one more.
inline std::size_t rate_of_together(std::size_t items) { return (items + 1) / 2; }

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_RING_SIZES_H */
