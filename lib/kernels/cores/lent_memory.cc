/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/lent_memory.h"

namespace gr {
namespace fringe {
namespace kernels {

void lent_memory::lend(const void* ring,
                       std::size_t ring_bytes,
                       std::size_t item_bytes,
                       std::size_t readers)
{
    const auto first = static_cast<const char*>(ring);
    d_rings[first] =
        std::make_shared<lent_ring>(lent_ring{first + ring_bytes, item_bytes, readers});
}

void lent_memory::end(const void* ring)
{
    d_rings.erase(static_cast<const char*>(ring));
    for (auto& spare : d_spare) {
        spare.clear(); // other rings make theirs anew
    }
}

std::shared_ptr<lent_ring> lent_memory::ring_of(const void* item) const
{
    const auto at = static_cast<const char*>(item);
    const auto behind = d_rings.upper_bound(at);
    if (behind == d_rings.begin()) {
        return nullptr;
    }
    const auto& before = std::prev(behind)->second;
    return at < before->end ? before : nullptr;
}

lent_memory::memory lent_memory::take(unsigned line, std::size_t bytes)
{
    auto& mine = d_spare[line][bytes];
    if (!mine.empty()) {
        memory last = std::move(mine.back());
        mine.pop_back();
        return last;
    }
    for (auto& other : d_spare) {
        auto& theirs = other[bytes];
        if (!theirs.empty()) {
            memory first = std::move(theirs.front());
            theirs.erase(theirs.begin());
            return first;
        }
    }
    return memory(bytes);
}

void lent_memory::give_back(unsigned line, memory&& used)
{
    const std::size_t bytes = used.size();
    d_spare[line][bytes].push_back(std::move(used));
}

} // namespace kernels
} // namespace fringe
} // namespace gr
