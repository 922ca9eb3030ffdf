/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H
#define INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H

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
 */
class FRINGE_API item_lines
{
public:
    using task = std::function<void(unsigned line)>;
    //! All tasks of one stage. Guarded by the lines' mutex.
    struct group {
        std::size_t unfinished = 0;
        std::uint64_t begun = 0; //!< items that begin with this stage
    };

    explicit item_lines(unsigned lines);
    ~item_lines();
    item_lines(const item_lines&) = delete;
    item_lines& operator=(const item_lines&) = delete;

    unsigned lines() const { return static_cast<unsigned>(d_lines.size()); }

    //! Puts work that reads the item at `in` and writes the one at `out` (or null). Throws
    //! what failed on that item before.
    void put(const void* in, const void* out, group& of, task work);
    //! All work on the item that was put is done. Throws what failed on it.
    bool idle(const void* item);
    //! Returns when it is.
    void wait_for(const void* item);
    //! The item was used up: what is put at its address next is another.
    void forget(const void* item);

    //! Returns when all work of a stage is done.
    void wait_for(group& of);
    //! Returns when all work is done that was put before the call.
    void wait_for_all();

private:
    //! Where an item is.
    struct place {
        unsigned line;
        std::uint64_t item; //!< a number, the same in all stages
        std::size_t unfinished = 0;
        std::exception_ptr failed;
    };
    struct piece {
        std::uint64_t number;
        const void *in, *out;
        group* of;
        task work;
    };
    struct line {
        std::map<std::uint64_t, std::deque<piece>> todo; //!< by item
        std::condition_variable wake;
    };
    void run(unsigned line);
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
    std::unordered_map<const void*, place> d_places;
    std::set<std::uint64_t> d_unfinished;
    std::uint64_t d_items = 0, d_pieces = 0;
    bool d_ended = false;
    std::deque<line> d_lines;
    std::vector<std::thread> d_threads;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_ITEM_LINES_H */
