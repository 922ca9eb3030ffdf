/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_places.h"

namespace gr {
namespace fringe {
namespace kernels {

item_places::work_of item_places::read_at(const void* in, const void* out)
{
    const auto here = d_places.find(in);
    if (here != d_places.end()) {
        if (here->second.failed) {
            std::rethrow_exception(here->second.failed);
        }
        return here->second.work;
    }
    place& first = d_places[in];
    borrow(first, in);
    first.work = std::make_shared<item_work>();
    first.work->number = d_items++;
    first.work->began_in = first.ring || !out ? first.ring : d_memory.ring_of(out);
    return first.work;
}

void item_places::put(const work_of& on, const void* in, const void* out)
{
    d_places.at(in).unfinished++;
    if (out && out != in) {
        place& made = d_places[out];
        made.work = on;
        made.unfinished++;
        made.failed = nullptr;
        borrow(made, out);
    }
}

bool item_places::done(const void* in, const void* out, const std::exception_ptr& failed)
{
    bool none_held = false;
    for (const void* const item : {in, out == in ? nullptr : out}) {
        const auto it = item ? d_places.find(item) : d_places.end();
        if (it != d_places.end()) {
            it->second.unfinished--;
            it->second.failed = failed ? failed : it->second.failed;
            none_held = settle(it) || none_held;
        }
    }
    return none_held;
}

bool item_places::idle(const void* item) const
{
    const auto it = d_places.find(item);
    return it == d_places.end() || it->second.unfinished == 0;
}

std::exception_ptr item_places::failed(const void* item) const
{
    const auto it = d_places.find(item);
    return it == d_places.end() ? nullptr : it->second.failed;
}

void item_places::forget(const void* item)
{
    const auto it = d_places.find(item);
    if (it != d_places.end() && !it->second.ring) {
        d_places.erase(it);
    }
}

void item_places::end_loan(const void* ring)
{
    const auto ended = d_memory.ring_of(ring);
    for (auto it = d_places.begin(); ended && it != d_places.end();) {
        if (it->second.ring == ended) {
            take_back(it->second);
            it = d_places.erase(it);
        } else {
            ++it;
        }
    }
    d_memory.end(ring);
}

void item_places::borrow(place& at, const void* item) const
{
    at.ring = d_memory.ring_of(item);
    at.readers = at.ring ? at.ring->readers : 0;
}

bool item_places::passed(const void* item)
{
    const auto it = d_places.find(item);
    if (it == d_places.end() || it->second.readers == 0) {
        return false;
    }
    it->second.readers--;
    return settle(it);
}

// Where nobody will read any more memory is given back. The place of an item that failed stays,
// for those who will ask.
bool item_places::settle(places::iterator at)
{
    place& p = at->second;
    if (!p.ring || p.readers > 0 || p.unfinished > 0) {
        return false;
    }
    const bool none_held = take_back(p);
    if (!p.failed) {
        d_places.erase(at);
    }
    return none_held;
}

bool item_places::take_back(place& p)
{
    if (p.held.empty()) {
        return false;
    }
    d_memory.give_back(p.work->line, std::move(p.held));
    p.held.clear();
    if (--p.work->held > 0) {
        return false;
    }
    if (p.work->began_in) {
        p.work->began_in->items--;
    }
    return true;
}

void* item_places::memory_of(const void* item, unsigned line)
{
    const auto it = d_places.find(item);
    if (it == d_places.end() || !it->second.ring) {
        return const_cast<void*>(item);
    }
    place& p = it->second;
    if (p.held.empty()) {
        p.held = d_memory.take(line, p.ring->item_bytes);
        if (p.work->held++ == 0 && p.work->began_in) {
            p.work->began_in->items++;
        }
    }
    return p.held.data();
}

} // namespace kernels
} // namespace fringe
} // namespace gr
