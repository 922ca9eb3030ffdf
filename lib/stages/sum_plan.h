/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_SUM_PLAN_H
#define INCLUDED_FRINGE_STAGES_SUM_PLAN_H

#include "array/dump_cuts.h"
#include <optional>

namespace gr::fringe {

/*!
 * Plans the sums of an X-engine: which spectra of each item go into which sum. A sum ends
 * where a dump of an integrator behind the X-engine does, before a gap, and when it is long
 * enough.
 *
 *     if (plan.begin_item(start, spectra)) {
 *         end the sum
 *     }
 *     while (plan.in_item()) {
 *         const auto part = plan.next(the sum is empty);
 *         add spectra part.first ... part.first + part.count - 1 of the item
 *         if (part.ends_sum) {
 *             end the sum
 *         }
 *     }
 */
class FRINGE_API sum_plan
{
public:
    //! Consecutive spectra of an item that go into one sum.
    struct part {
        std::uint64_t first = 0; //!< number in the item
        std::uint64_t count = 0; //!< 0: the sum ends before the next spectrum
        bool ends_sum = false;
    };

    //! Sums have so many spectra at most.
    explicit sum_plan(std::uint64_t longest) : d_longest(longest) {}

    //! Sums also end where the dumps of this integrator do, from the next spectrum on, see
    //! array::dump_cuts. Returns when that begins, where times are known.
    std::optional<epoch> cut_for(long integrator, double seconds, std::uint64_t spectra);
    //! An integrator is gone.
    void forget(long integrator) { d_cuts.forget(integrator); }
    //! All integrators but these are gone.
    void keep(const std::set<long>& these) { d_cuts.keep(these); }

    //! The next item has so many spectra. It begins at `start`, or follows on the one
    //! before. True when there is a gap before it: the sum under way ends there.
    bool begin_item(const std::optional<array::beginning>& start, std::uint64_t spectra);
    //! True while spectra of the item are not in a sum, also when it has none at all.
    bool in_item() const { return d_in_item; }
    //! The rest of the item does not come.
    void drop_item() { d_in_item = false; }

    //! The next part of the item; `empty`: the sum under way has no spectra.
    part next(bool empty);

    //! The number of the next spectrum to come.
    std::uint64_t next_spectrum() const { return d_next; }
    //! Time of the spectra.
    const array::timeline& time() const { return d_time; }
    //! The instant at which the next spectrum begins, where times are known.
    std::optional<epoch> next_time() const;

private:
    const std::uint64_t d_longest;
    array::dump_cuts d_cuts;
    array::timeline d_time;
    std::uint64_t d_next = 0;    // next spectrum to come
    std::uint64_t d_sum_end = 0; // where the sum under way ends
    bool d_in_item = false;
    std::uint64_t d_item_spectra = 0, d_item_done = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_SUM_PLAN_H */
