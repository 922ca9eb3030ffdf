/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_lines.h"
#include <algorithm>
#include <pthread.h>
#include <string>

namespace gr {
namespace fringe {
namespace kernels {

item_lines::item_lines(unsigned lines) : d_lines(lines), d_spread(lines)
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

void item_lines::put(const void* in, const void* out, group& of, task work, turn when)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    auto here = d_places.find(in);
    if (here == d_places.end()) { // it begins
        place first;
        first.line = static_cast<unsigned>(of.begun++ % d_lines.size());
        first.item = d_items++;
        borrow(first, in);
        here = d_places.emplace(in, std::move(first)).first;
    }
    if (here->second.failed) {
        std::rethrow_exception(here->second.failed);
    }
    here->second.unfinished++;
    const unsigned on = here->second.line;
    const std::uint64_t item = here->second.item;
    if (out && out != in) {
        place& made = d_places[out];
        made.line = on;
        made.item = item;
        made.unfinished++;
        made.failed = nullptr;
        borrow(made, out);
    }
    of.unfinished++;
    d_unfinished.insert(d_pieces);
    line& l = d_lines[on];
    (when == turn::early ? l.early : l.todo)[item].push_back(
        {d_pieces++, in, out, &of, std::move(work)});
    lock.unlock();
    l.wake.notify_one();
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

void item_lines::wait_for(const void* item)
{
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        wait(lock, [&] { return idle_now(item); });
    }
    idle(item);
}

void item_lines::forget(const void* item)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto it = d_places.find(item);
    if (it != d_places.end() && it->second.lent == 0) {
        d_places.erase(it);
    }
}

void item_lines::lend(const void* ring,
                      std::size_t ring_bytes,
                      std::size_t item_bytes,
                      std::size_t readers)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto first = static_cast<const char*>(ring);
    d_loans[first] = {first + ring_bytes, item_bytes, readers};
}

void item_lines::end_loan(const void* ring)
{
    wait_for_all();
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto ended = d_loans.find(static_cast<const char*>(ring));
    if (ended == d_loans.end()) {
        return;
    }
    for (auto it = d_places.begin(); it != d_places.end();) {
        it = loan_of(it->first) == &ended->second ? d_places.erase(it) : std::next(it);
    }
    d_loans.erase(ended);
    for (auto& l : d_lines) {
        l.free.clear(); // others that are lent make theirs anew
    }
}

const item_lines::loan* item_lines::loan_of(const void* item) const
{
    const auto at = static_cast<const char*>(item);
    const auto behind = d_loans.upper_bound(at);
    if (behind == d_loans.begin()) {
        return nullptr;
    }
    const loan& before = std::prev(behind)->second;
    return at < before.end ? &before : nullptr;
}

void item_lines::borrow(place& at, const void* item) const
{
    const loan* const lent = loan_of(item);
    at.lent = lent ? lent->item_bytes : 0;
    at.readers = lent ? lent->readers : 0;
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
    if (p.lent == 0 || p.readers > 0 || p.unfinished > 0) {
        return;
    }
    if (!p.held.empty()) {
        d_lines[p.line].free[p.lent].push_back(std::move(p.held));
        p.held.clear();
    }
    if (!p.failed) {
        d_places.erase(at);
    }
}

// What the tasks on an item work on.
void* item_lines::memory_of(const void* item)
{
    const auto it = d_places.find(item);
    if (it == d_places.end() || it->second.lent == 0) {
        return const_cast<void*>(item);
    }
    place& p = it->second;
    if (p.held.empty()) {
        auto& free = d_lines[p.line].free[p.lent];
        if (free.empty()) {
            p.held.resize(p.lent);
        } else {
            p.held = std::move(free.back());
            free.pop_back();
        }
    }
    return p.held.data();
}

bool item_lines::idle(const group& of)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return of.unfinished == 0;
}

void item_lines::wait_for(group& of)
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

// A thread's life.
void item_lines::run(unsigned k)
{
    d_spread.name(k);
    std::unique_lock<std::mutex> lock(d_mutex);
    line& mine = d_lines[k];
    for (;;) {
        const auto something = [&] { return !mine.todo.empty() || !mine.early.empty(); };
        if (!something()) {
            d_spread.sleeps(k);
        }
        mine.wake.wait(lock, [&] { return d_ended || something(); });
        if (!something()) {
            return;
        }
        const piece p = next_of(mine);
        const auto failed = work_on(p, k, lock);
        finish(p, failed, lock);
        lock.unlock();
        d_spread.works(k);
        lock.lock();
    }
}

// The oldest item first, but early work of the four behind it before that.
item_lines::piece item_lines::next_of(line& mine) const
{
    constexpr std::uint64_t ahead = 4;
    const bool early =
        !mine.early.empty() &&
        (mine.todo.empty() ||
         mine.early.begin()->first <= mine.todo.begin()->first + ahead * lines());
    pieces& from = early ? mine.early : mine.todo;
    auto& queue = from.begin()->second;
    piece next = std::move(queue.front());
    queue.pop_front();
    if (queue.empty()) {
        from.erase(from.begin());
    }
    return next;
}

// Does the work without the mutex; nothing where the item has failed before.
std::exception_ptr
item_lines::work_on(const piece& p, unsigned k, std::unique_lock<std::mutex>& lock)
{
    const auto here = d_places.find(p.in);
    std::exception_ptr failed = here == d_places.end() ? nullptr : here->second.failed;
    if (failed) {
        return failed;
    }
    try {
        const void* const in = memory_of(p.in);
        void* const out = p.out ? memory_of(p.out) : nullptr;
        lock.unlock();
        p.work(k, in, out);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!lock.owns_lock()) {
        lock.lock();
    }
    return failed;
}

// Wakes who has waited for this piece, and does so without the mutex, which the woken want.
void item_lines::finish(const piece& p,
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
    p.of->unfinished--;
    p.of->failed = failed ? failed : p.of->failed;
    d_unfinished.erase(p.number);
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

} // namespace kernels
} // namespace fringe
} // namespace gr
