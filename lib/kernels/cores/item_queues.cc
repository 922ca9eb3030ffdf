/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_queues.h"

namespace gr {
namespace fringe {
namespace kernels {

void item_queues::put(const work_of& w)
{
    works& all =
        w->line == item_work::nobody ? d_new[w->began_in.get()] : d_begun[w->line];
    all.emplace(w->number, w);
}

item_piece item_queues::take(const work_of& w, unsigned line)
{
    if (w->line == item_work::nobody) {
        const auto ring = d_new.find(w->began_in.get());
        ring->second.erase(w->number);
        if (ring->second.empty()) {
            d_new.erase(ring);
        }
    } else {
        d_begun[w->line].erase(w->number);
    }
    w->line = line;
    w->under_way = true;
    item_piece first = std::move(w->todo.front());
    w->todo.pop_front();
    return first;
}

item_queues::work_of item_queues::first_of(const works& all)
{
    for (const auto& [number, w] : all) {
        if (w->todo.front().may_begin()) {
            return w;
        }
    }
    return nullptr;
}

item_queues::work_of item_queues::first_new(const works& of_a_ring, unsigned line) const
{
    const std::size_t lines = d_begun.size();
    work_of oldest;
    for (const auto& [number, w] : of_a_ring) {
        if (oldest && number >= oldest->number + lines) {
            break;
        }
        const bool own = number % lines == line;
        if ((own || !oldest) && w->todo.front().may_begin()) {
            oldest = w;
            if (own) {
                break;
            }
        }
    }
    return oldest;
}

item_queues::work_of item_queues::next_new(unsigned line, bool ahead) const
{
    constexpr std::size_t items_ahead = 4; // a line
    work_of oldest;
    for (const auto& [ring, all] : d_new) {
        if (!ring || ahead || ring->items < items_ahead * d_begun.size()) {
            const work_of first = first_new(all, line);
            if (first && (!oldest || first->number < oldest->number)) {
                oldest = first;
            }
        }
    }
    return oldest;
}

item_queues::work_of item_queues::next(unsigned line, bool ahead) const
{
    work_of w = first_of(d_begun[line]);
    if (!w) {
        w = next_new(line, ahead);
    }
    for (std::size_t n = 1; !w && n < d_begun.size(); n++) {
        w = first_of(d_begun[(line + n) % d_begun.size()]);
    }
    return w;
}

} // namespace kernels
} // namespace fringe
} // namespace gr
