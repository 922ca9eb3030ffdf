/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_ITEM_QUEUES_H
#define INCLUDED_FRINGE_KERNELS_CORES_ITEM_QUEUES_H

#include "kernels/cores/lent_memory.h"
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <gnuradio/fringe/api.h>
#include <map>
#include <memory>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

//! What is done by a thread, with the memory of the item it reads and of that which it
//! writes.
using item_task = std::function<void(unsigned line, const void* in, void* out)>;

//! All tasks of one stage.
struct item_group {
    std::size_t unfinished = 0;
    std::exception_ptr failed;
};

//! Tasks on several items that are done one after the other.
struct item_sequence {
    std::uint64_t done = 0; //!< or failed
};

//! A place in a sequence.
struct place_in_sequence {
    item_sequence* in = nullptr;
    std::uint64_t number = 0;

    //! All before it are done; so it is in none.
    bool reached() const { return !in || in->done >= number; }
};

//! What a task has to do with sequences.
struct item_order {
    place_in_sequence is; //!< it is number so of these, and comes after those before it
    place_in_sequence after; //!< it comes after so many of these
};

//! A task, and what it is done on.
struct item_piece {
    std::uint64_t number;
    const void *in, *out;
    item_group* of;
    item_task task;
    item_order when;

    //! It comes after nothing that is not done.
    bool may_begin() const { return when.is.reached() && when.after.reached(); }
};

//! What is to be done on an item, in all stages.
struct item_work {
    static constexpr unsigned nobody = ~0u;

    std::uint64_t number = 0; //!< of the item, in the order in which they begin
    std::shared_ptr<lent_ring> began_in; //!< or null
    unsigned line = nobody;              //!< that has it
    bool under_way = false;
    std::size_t held = 0; //!< places whose memory a line has lent
    std::deque<item_piece> todo;
};

/*!
 * Items on which there is something to do, and which of them a thread takes next: of those
 * it has the oldest; where there is none, the oldest that nobody has, and of a few that are
 * about as old its own in turn; where there is none, another's.
 *
 * Threads do not begin items of a lent ring far ahead of the stages behind, or what they
 * did would not be in the cache any more when those come.
 */
class FRINGE_API item_queues
{
public:
    using work_of = std::shared_ptr<item_work>;

    explicit item_queues(unsigned lines) : d_begun(lines) {}

    //! There is something to do, and no thread is at it.
    void put(const work_of& w);
    //! What a thread should do next, or null. `ahead`: however far ahead.
    work_of next(unsigned line, bool ahead) const;
    //! The thread is at it.
    item_piece take(const work_of& w, unsigned line);
    //! There are items that nobody has.
    bool any_new() const { return !d_new.empty(); }

private:
    using works = std::map<std::uint64_t, work_of>; //!< by the item's number

    static work_of first_of(const works& all);
    work_of first_new(const works& of_a_ring, unsigned line) const;
    work_of next_new(unsigned line, bool ahead) const;

    std::vector<works> d_begun;              //!< [line]
    std::map<const lent_ring*, works> d_new; //!< by the ring they begin in
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_ITEM_QUEUES_H */
