/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/item_lines.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

item_lines::item_lines(unsigned lines) : d_lines(lines)
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

void item_lines::put(const void* in, const void* out, group& of, task work)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    auto here = d_places.find(in);
    if (here == d_places.end()) { // it begins
        const auto next = static_cast<unsigned>(of.begun++ % d_lines.size());
        const place first{next, d_items++, 0, {}};
        here = d_places.emplace(in, first).first;
    }
    if (here->second.failed) {
        std::rethrow_exception(here->second.failed);
    }
    here->second.unfinished++;
    const place now{here->second.line, here->second.item, 1, {}};
    if (out && out != in) {
        d_places[out] = now;
    }
    of.unfinished++;
    d_unfinished.insert(d_pieces);
    line& l = d_lines[now.line];
    l.todo[now.item].push_back({d_pieces++, in, out, &of, std::move(work)});
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
    d_places.erase(item);
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

// A thread's life: the oldest item first.
void item_lines::run(unsigned k)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    line& mine = d_lines[k];
    for (;;) {
        mine.wake.wait(lock, [&] { return d_ended || !mine.todo.empty(); });
        if (mine.todo.empty()) {
            return;
        }
        auto& queue = mine.todo.begin()->second;
        const piece p = std::move(queue.front());
        queue.pop_front();
        if (queue.empty()) {
            mine.todo.erase(mine.todo.begin());
        }
        lock.unlock();
        std::exception_ptr failed;
        try {
            p.work(k);
        } catch (...) {
            failed = std::current_exception();
        }
        lock.lock();
        finish(p, failed, lock);
    }
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
        }
    }
    p.of->unfinished--;
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
