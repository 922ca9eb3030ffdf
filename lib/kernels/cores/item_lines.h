/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H
#define INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H

#include "kernels/aligned.h"
#include "kernels/cores/thread_spread.h"
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <gnuradio/fringe/api.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Threads, one a core, that each take items through all their stages.
 *
 * Work on an item of a ring is put by the address of what it reads and writes. What a
 * stage writes and the next one reads is worked on by the same thread, so it does not
 * cross from one core's cache to another's; items that begin with a stage go to the
 * threads in turn. A thread takes the oldest item that it has work for.
 *
 * A ring that only such stages write and read may be lent(): its addresses are but names
 * then, and its items lie in memory of the threads, which a thread uses again as soon as
 * the last reader is done. So it is the same memory again and again, and stays in the
 * core's cache.
 */
class FRINGE_API item_lines
{
public:
    //! What is done by a thread, with the memory of the item it reads and of that which it
    //! writes.
    using task = std::function<void(unsigned line, const void* in, void* out)>;
    //! All tasks of one stage. Guarded by the lines' mutex.
    struct group {
        std::size_t unfinished = 0;
        std::uint64_t begun = 0; //!< items that begin with this stage
        std::exception_ptr failed;
    };

    explicit item_lines(unsigned lines);
    ~item_lines();
    item_lines(const item_lines&) = delete;
    item_lines& operator=(const item_lines&) = delete;

    unsigned lines() const { return static_cast<unsigned>(d_lines.size()); }

    //! When work is done: in the order of items, or, since work on other items waits for
    //! it, while the item before is still worked on.
    enum class turn { in_order, early };
    //! Puts work that reads the item at `in` and writes the one at `out` (or null). Throws
    //! what failed on that item before.
    void put(const void* in,
             const void* out,
             group& of,
             task work,
             turn when = turn::in_order);
    //! All work on the item that was put is done. Throws what failed on it.
    bool idle(const void* item);
    //! Returns when it is.
    void wait_for(const void* item);
    //! The item was used up: what is put at its address next is another.
    void forget(const void* item);

    //! Items of `item_bytes` with names from `ring` on, `ring_bytes` of them, lie in memory
    //! of the lines. So many stages read each.
    void lend(const void* ring,
              std::size_t ring_bytes,
              std::size_t item_bytes,
              std::size_t readers);
    //! No more; what is there is gone.
    void end_loan(const void* ring);
    //! One of those that read an item of such a ring will put no more work on it.
    void passed(const void* item);

    //! All work of a stage is done.
    bool idle(const group& of);
    //! Returns when it is; what failed is in the group.
    void wait_for(group& of);
    //! Returns when all work is done that was put before the call.
    void wait_for_all();

private:
    using memory = aligned_vector<std::uint8_t>;
    //! Where an item is.
    struct place {
        unsigned line;
        std::uint64_t item; //!< a number, the same in all stages
        std::size_t unfinished = 0;
        std::exception_ptr failed;
        std::size_t lent = 0;    //!< bytes that a line lends it, or 0
        std::size_t readers = 0; //!< that may put more work on it
        memory held;
    };
    using places = std::unordered_map<const void*, place>;
    struct loan {
        const char* end;
        std::size_t item_bytes, readers;
    };
    struct piece {
        std::uint64_t number;
        const void *in, *out;
        group* of;
        task work;
    };
    using pieces = std::map<std::uint64_t, std::deque<piece>>; //!< by item
    struct line {
        pieces todo, early;
        std::condition_variable wake;
        std::map<std::size_t, std::vector<memory>>
            free; //!< by size, the last used behind
    };
    void run(unsigned line);
    piece next_of(line& mine) const;
    std::exception_ptr
    work_on(const piece& p, unsigned line, std::unique_lock<std::mutex>& lock);
    void* memory_of(const void* item);
    void settle(places::iterator at);
    void borrow(place& at, const void* item) const;
    const loan* loan_of(const void* item) const;
    void finish(const piece& p,
                const std::exception_ptr& failed,
                std::unique_lock<std::mutex>& lock);
    bool idle_now(const void* item) const;
    void wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done);

    //! A thread that sleeps until something is done, and is woken for nothing less.
    struct waiter {
        explicit waiter(const std::function<bool()>& what) : done(what) {}
        const std::function<bool()>& done;
        std::condition_variable wake;
    };
    std::vector<std::shared_ptr<waiter>> d_waiters;
    std::mutex d_mutex;
    places d_places;
    std::map<const char*, loan> d_loans; //!< by their first name
    std::set<std::uint64_t> d_unfinished;
    std::uint64_t d_items = 0, d_pieces = 0;
    bool d_ended = false;
    std::deque<line> d_lines;
    thread_spread d_spread;
    std::vector<std::thread> d_threads;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H */
