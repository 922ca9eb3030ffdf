/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_ITEM_PLACES_H
#define INCLUDED_FRINGE_KERNELS_CORES_ITEM_PLACES_H

#include "kernels/cores/item_queues.h"
#include "kernels/cores/lent_memory.h"
#include <unordered_map>

namespace gr {
namespace fringe {
namespace kernels {

//! Which item an address stands for, what is still to be done there, and where it lies.
class item_places
{
public:
    using work_of = item_queues::work_of;

    explicit item_places(lent_memory& memory) : d_memory(memory) {}

    //! The item that is read at `in`. Where there is none one begins, which may write to
    //! `out` (or null). Throws what failed there.
    work_of read_at(const void* in, const void* out);
    //! A task was put that reads the one and writes the other (or null).
    void put(const work_of& on, const void* in, const void* out);
    //! It is done. True when the item holds no memory any more.
    bool done(const void* in, const void* out, const std::exception_ptr& failed);

    //! All tasks there are done.
    bool idle(const void* item) const;
    std::exception_ptr failed(const void* item) const;
    //! What is put there next is another item. Not in lent rings.
    void forget(const void* item);

    //! Ends it; what is there is gone.
    void end_loan(const void* ring);
    //! One of the readers of a lent ring's item will put no more work on it. True when the
    //! item holds no memory any more.
    bool passed(const void* item);
    //! What a thread's task works on.
    void* memory_of(const void* item, unsigned line);

private:
    struct place {
        work_of work;
        std::size_t unfinished = 0;
        std::exception_ptr failed;
        std::shared_ptr<lent_ring> ring; //!< or null
        std::size_t readers = 0;         //!< that may put more work on it
        lent_memory::memory held;
    };
    using places = std::unordered_map<const void*, place>;

    void borrow(place& at, const void* item) const;
    bool settle(places::iterator at);
    bool take_back(place& p);

    std::uint64_t d_items = 0; //!< that have begun
    places d_places;
    lent_memory& d_memory;
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_ITEM_PLACES_H */
