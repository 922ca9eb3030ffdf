/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_lines.h"
#include <algorithm>
#include <chrono>

namespace gr {
namespace fringe {
namespace kernels {

item_lines::item_lines(unsigned lines)
    : d_memory(lines), d_queues(lines), d_lines(lines), d_spread(lines)
{
    for (unsigned k = 0; k < lines; k++) {
        d_threads.emplace_back([this, k] { run(k); });
    }
}

item_lines::~item_lines()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_ended = true;
    }
    for (auto& l : d_lines) {
        l.wake.notify_one();
    }
    for (auto& t : d_threads) {
        t.join();
    }
}

void item_lines::put(const void* in,
                     const void* out,
                     item_group& of,
                     item_task task,
                     const item_order& when)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    place& read = begin(in, out);
    if (read.failed) {
        std::rethrow_exception(read.failed);
    }
    read.unfinished++;
    const work_of on = read.work;
    if (out && out != in) {
        place& made = d_places[out];
        made.work = on;
        made.unfinished++;
        made.failed = nullptr;
        borrow(made, out);
    }
    of.unfinished++;
    d_unfinished.insert(d_pieces);
    on->todo.push_back({d_pieces++, in, out, &of, std::move(task), when});
    if (!on->under_way && on->todo.size() == 1) {
        d_queues.put(on);
        wake_one_for(*on);
    }
}

// Where an item is read; it may begin there.
item_lines::place& item_lines::begin(const void* in, const void* out)
{
    const auto here = d_places.find(in);
    if (here != d_places.end()) {
        return here->second;
    }
    place first;
    borrow(first, in);
    first.work = std::make_shared<item_work>();
    first.work->number = d_items++;
    first.work->began_in = first.ring || !out ? first.ring : d_memory.ring_of(out);
    return d_places.emplace(in, std::move(first)).first->second;
}

void item_lines::forget(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto it = d_places.find(item);
    if (it != d_places.end() && !it->second.ring) {
        d_places.erase(it);
    }
}

void item_lines::lend(const void* ring,
                      std::size_t ring_bytes,
                      std::size_t item_bytes,
                      std::size_t readers)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_memory.lend(ring, ring_bytes, item_bytes, readers);
}

void item_lines::end_loan(const void* ring)
{
    wait_for_all();
    std::lock_guard<std::mutex> lock(d_mutex);
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

void item_lines::borrow(place& at, const void* item) const
{
    at.ring = d_memory.ring_of(item);
    at.readers = at.ring ? at.ring->readers : 0;
}

void item_lines::passed(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto it = d_places.find(item);
    if (it != d_places.end() && it->second.readers > 0) {
        it->second.readers--;
        settle(it);
    }
}

// An item that nobody will read any more gives its memory back. The place of one that failed
// stays, for those who will ask.
void item_lines::settle(places::iterator at)
{
    place& p = at->second;
    if (!p.ring || p.readers > 0 || p.unfinished > 0) {
        return;
    }
    take_back(p);
    if (!p.failed) {
        d_places.erase(at);
    }
}

void item_lines::take_back(place& p)
{
    if (p.held.empty()) {
        return;
    }
    d_memory.give_back(p.work->line, std::move(p.held));
    p.held.clear();
    if (--p.work->held == 0 && p.work->began_in) {
        p.work->began_in->items--;
        wake_for_the_rest();
    }
}

// What the tasks on an item work on.
void* item_lines::memory_of(const void* item, unsigned k)
{
    const auto it = d_places.find(item);
    if (it == d_places.end() || !it->second.ring) {
        return const_cast<void*>(item);
    }
    place& p = it->second;
    if (p.held.empty()) {
        p.held = d_memory.take(k, p.ring->item_bytes);
        if (p.work->held++ == 0 && p.work->began_in) {
            p.work->began_in->items++;
        }
    }
    return p.held.data();
}

// A thread's life.
void item_lines::run(unsigned k)
{
    d_spread.name(k);
    std::unique_lock<std::mutex> lock(d_mutex);
    for (;;) {
        work_of w = next_of(k);
        if (!w) {
            d_spread.sleeps(k);
            w = wait_for_work(k, lock);
        }
        if (!w) {
            return;
        }
        if (w->line != item_work::nobody ||
            d_waiters.empty()) { // else: until they have all
            set_impatient(d_lines[k], false);
        }
        const item_piece p = d_queues.take(w, k);
        wake_for_the_rest();
        const auto failed = work_on(p, k, lock);
        finish(p, w, failed, lock);
        lock.unlock();
        d_spread.works(k);
        lock.lock();
    }
}

item_lines::work_of item_lines::next_of(unsigned k) const
{
    return d_queues.next(k, d_impatient > 0 || d_ended);
}

// Sleeps until there is something to do. Where that is only further ahead than it should be, for
// a moment: the stages behind may have ended, or be those that wait.
item_lines::work_of item_lines::wait_for_work(unsigned k,
                                              std::unique_lock<std::mutex>& lock)
{
    constexpr std::chrono::milliseconds patience{5};
    line& mine = d_lines[k];
    work_of w;
    while (!(w = next_of(k)) && !d_ended) {
        mine.asleep = true;
        if (!d_queues.any_new() || mine.impatient) {
            mine.wake.wait(lock);
        } else if (mine.wake.wait_for(lock, patience) == std::cv_status::timeout) {
            set_impatient(mine, true);
        }
    }
    mine.asleep = false;
    return w;
}

void item_lines::set_impatient(line& of, bool impatient)
{
    d_impatient += impatient;
    d_impatient -= of.impatient;
    of.impatient = impatient;
}

// A line that sleeps although there is something for it.
bool item_lines::wake(unsigned k)
{
    line& l = d_lines[k];
    if (!l.asleep || !next_of(k)) {
        return false;
    }
    l.asleep = false;
    l.wake.notify_one();
    return true;
}

// One of those that sleep, first the item's own. Where nobody may take it yet, one that will not
// wait for ever.
void item_lines::wake_one_for(const item_work& w)
{
    const auto own = w.line == item_work::nobody ? w.number : w.line;
    for (unsigned n = 0; n < lines(); n++) {
        if (wake(static_cast<unsigned>((own + n) % lines()))) {
            return;
        }
    }
    if (w.line == item_work::nobody) {
        d_lines[own % lines()].wake.notify_one();
    }
}

void item_lines::wake_for_the_rest()
{
    for (unsigned k = 0; k < lines(); k++) {
        wake(k);
    }
}

// Does the work without the mutex; nothing where the item has failed before.
std::exception_ptr
item_lines::work_on(const item_piece& p, unsigned k, std::unique_lock<std::mutex>& lock)
{
    const auto here = d_places.find(p.in);
    std::exception_ptr failed = here == d_places.end() ? nullptr : here->second.failed;
    if (failed) {
        return failed;
    }
    try {
        const void* const in = memory_of(p.in, k);
        void* const out = p.out ? memory_of(p.out, k) : nullptr;
        lock.unlock();
        p.task(k, in, out);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!lock.owns_lock()) {
        lock.lock();
    }
    return failed;
}

void item_lines::finish(const item_piece& p,
                        const work_of& w,
                        const std::exception_ptr& failed,
                        std::unique_lock<std::mutex>& lock)
{
    for (const void* const item : {p.in, p.out == p.in ? nullptr : p.out}) {
        const auto it = item ? d_places.find(item) : d_places.end();
        if (it != d_places.end()) {
            it->second.unfinished--;
            it->second.failed = failed ? failed : it->second.failed;
            settle(it);
        }
    }
    w->under_way = false;
    if (!w->todo.empty()) {
        d_queues.put(w);
    }
    if (p.when.is.in) {
        p.when.is.in->done++;
    }
    p.of->unfinished--;
    p.of->failed = failed ? failed : p.of->failed;
    d_unfinished.erase(p.number);
    wake_waiters(lock);
}

bool item_lines::idle_now(const void* item) const
{
    const auto it = d_places.find(item);
    return it == d_places.end() || it->second.unfinished == 0;
}

bool item_lines::idle(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto it = d_places.find(item);
    if (it != d_places.end() && it->second.failed) {
        std::rethrow_exception(it->second.failed);
    }
    return idle_now(item);
}

bool item_lines::idle(const item_group& of)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return of.unfinished == 0;
}

void item_lines::wait(std::unique_lock<std::mutex>& lock,
                      const std::function<bool()>& done)
{
    if (done()) {
        return;
    }
    const auto me = std::make_shared<waiter>(done);
    d_waiters.push_back(me);
    me->wake.wait(lock, done);
    d_waiters.erase(std::find(d_waiters.begin(), d_waiters.end(), me));
}

// Without the mutex, which the woken want.
void item_lines::wake_waiters(std::unique_lock<std::mutex>& lock)
{
    std::vector<std::shared_ptr<waiter>> woken;
    for (const auto& w : d_waiters) {
        if (w->done()) {
            woken.push_back(w);
        }
    }
    if (!woken.empty()) {
        lock.unlock();
        for (const auto& w : woken) {
            w->wake.notify_one();
        }
        lock.lock();
    }
}

void item_lines::wait_for(const void* item)
{
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        wait(lock, [&] { return idle_now(item); });
    }
    idle(item);
}

void item_lines::wait_for(item_group& of)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    wait(lock, [&] { return of.unfinished == 0; });
}

void item_lines::wait_for_all()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    const std::uint64_t next = d_pieces;
    wait(lock, [&] { return d_unfinished.empty() || *d_unfinished.begin() >= next; });
}

} // namespace kernels
} // namespace fringe
} // namespace gr
