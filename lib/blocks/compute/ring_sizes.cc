/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/ring_sizes.h"
#include "blocks/base/block_checks.h"

namespace gr::fringe {

std::size_t device_ring_items(std::size_t item_bytes, std::size_t least)
{
    return ring_items(item_bytes, least);
}

} // namespace gr::fringe
