/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_lines.h"
#include <chrono>

namespace gr {
namespace fringe {
namespace kernels {

item_lines::item_lines(unsigned lines)
    : d_memory(lines),
      d_places(d_memory),
      d_queues(lines),
      d_lines(lines),
      d_spread(lines)
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
    const work_of on = d_places.read_at(in, out);
    d_places.put(on, in, out);
    of.unfinished++;
    d_unfinished.insert(d_pieces);
    on->todo.push_back({d_pieces++, in, out, &of, std::move(task), when});
    if (!on->under_way && on->todo.size() == 1) {
        d_queues.put(on);
        wake_one_for(*on);
    }
}

void item_lines::forget(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_places.forget(item);
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
    d_places.end_loan(ring);
    wake_for_the_rest();
}

void item_lines::passed(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (d_places.passed(item)) {
        wake_for_the_rest();
    }
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
        d_lines[k].impatient = false;
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
    return d_queues.next(k, d_lines[k].impatient || d_hurried > 0 || d_ended);
}

// Sleeps until there is something to do. Where that is only further ahead than it should be, for
// a moment: the stages behind may have ended.
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
            mine.impatient = true;
        }
    }
    mine.asleep = false;
    return w;
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
    std::exception_ptr failed = d_places.failed(p.in);
    if (failed) {
        return failed;
    }
    try {
        const void* const in = d_places.memory_of(p.in, k);
        void* const out = p.out ? d_places.memory_of(p.out, k) : nullptr;
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
    const bool none_held = d_places.done(p.in, p.out, failed);
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
    if (none_held) {
        wake_for_the_rest();
    }
    d_waiters.wake(lock);
}

bool item_lines::idle(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (const auto failed = d_places.failed(item)) {
        std::rethrow_exception(failed);
    }
    return d_places.idle(item);
}

bool item_lines::idle(const item_group& of)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return of.unfinished == 0;
}

void item_lines::wait_for(const void* item)
{
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        d_waiters.wait(lock, [&] { return d_places.idle(item); });
    }
    idle(item);
}

void item_lines::wait_for(item_group& of)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    wait_hurried(lock, [&] { return of.unfinished == 0; });
}

void item_lines::wait_for_all()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    const std::uint64_t next = d_pieces;
    wait_hurried(lock,
                 [&] { return d_unfinished.empty() || *d_unfinished.begin() >= next; });
}

// The stages behind may get nothing until this one has all it waits for.
void item_lines::wait_hurried(std::unique_lock<std::mutex>& lock,
                              const waiters::condition& done)
{
    d_hurried++;
    wake_for_the_rest();
    d_waiters.wait(lock, done);
    d_hurried--;
}

} // namespace kernels
} // namespace fringe
} // namespace gr
