/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H
#define INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H

#include "kernels/cores/item_places.h"
#include "kernels/cores/thread_spread.h"
#include "kernels/cores/waiters.h"
#include <condition_variable>
#include <gnuradio/fringe/api.h>
#include <mutex>
#include <set>
#include <thread>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Threads, one a core, that each take items through all their stages.
 *
 * Work on an item of a ring is put by the address of what it reads and writes. What a
 * stage writes and the next one reads belongs to the same item, and its work is done one
 * piece after the other, by the thread that began it: so it does not cross from one core's
 * cache to another's, unless that core has nothing else to do (item_queues).
 *
 * Work may also have to come after some on other items (item_sequence). It is left until
 * then, and nobody waits for it.
 *
 * A ring that only such stages write and read may be lent(): its addresses are but names
 * then, and its items lie in memory of the threads, which a thread uses again as soon as
 * the last reader is done. So it is the same memory again and again, and stays in the
 * core's cache.
 *
 * Groups and sequences are guarded by the lines' mutex.
 */
class FRINGE_API item_lines
{
public:
    explicit item_lines(unsigned lines);
    //! Does what was put.
    ~item_lines();
    item_lines(const item_lines&) = delete;
    item_lines& operator=(const item_lines&) = delete;

    unsigned lines() const { return static_cast<unsigned>(d_lines.size()); }

    //! Puts work that reads the item at `in` and writes the one at `out` (or null). Throws
    //! what failed on that item before.
    void put(const void* in,
             const void* out,
             item_group& of,
             item_task task,
             const item_order& when = {});
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
    bool idle(const item_group& of);
    //! Returns when it is; what failed is in the group.
    void wait_for(item_group& of);
    //! Returns when all work is done that was put before the call.
    void wait_for_all();

private:
    using work_of = item_queues::work_of;
    struct line {
        bool asleep = false;
        bool impatient = false; //!< begins items however far ahead
        std::condition_variable wake;
    };

    void run(unsigned line);
    work_of next_of(unsigned line) const;
    work_of wait_for_work(unsigned line, std::unique_lock<std::mutex>& lock);
    bool wake(unsigned line);
    void wake_one_for(const item_work& w);
    void wake_for_the_rest();
    void wait_hurried(std::unique_lock<std::mutex>& lock, const waiters::condition& done);
    std::exception_ptr
    work_on(const item_piece& p, unsigned line, std::unique_lock<std::mutex>& lock);
    void finish(const item_piece& p,
                const work_of& w,
                const std::exception_ptr& failed,
                std::unique_lock<std::mutex>& lock);

    std::mutex d_mutex;
    waiters d_waiters;
    lent_memory d_memory;
    item_places d_places;
    item_queues d_queues;
    std::set<std::uint64_t> d_unfinished; //!< pieces
    std::uint64_t d_pieces = 0;
    bool d_ended = false;
    unsigned d_hurried = 0; //!< that wait for more than an item
    std::deque<line> d_lines;
    thread_spread d_spread;
    std::vector<std::thread> d_threads;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H */
