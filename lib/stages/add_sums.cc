/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/add_sums.h"
#include <cstdint>
#include <volk/volk.h>

namespace gr::fringe {

void add_sums(bool integer, void* sums, const void* more, std::size_t count)
{
    if (!integer) {
        auto* const to = static_cast<float*>(sums);
        volk_32f_x2_add_32f(
            to, to, static_cast<const float*>(more), static_cast<unsigned>(count));
        return;
    }
    auto* const to = static_cast<std::int32_t*>(sums);
    const auto* const from = static_cast<const std::int32_t*>(more);
    for (std::size_t n = 0; n < count; ++n) { // VOLK has none for integers
        to[n] += from[n];
    }
}

} // namespace gr::fringe
