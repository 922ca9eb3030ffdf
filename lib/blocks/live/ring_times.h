/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_RING_TIMES_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_RING_TIMES_H

#include <cstdint>
#include <deque>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/tags.h>
#include <map>
#include <mutex>
#include <optional>
#include <pmt/pmt.h>
#include <utility>
#include <vector>

namespace gr::fringe {

//! Items that follow each other without a gap.
struct ring_run {
    std::uint64_t first = 0; //!< number of the first item
    epoch start;             //!< of that
    double frequency = 0;    //!< Hz, 0 = not known
    std::uint64_t axis = 0;  //!< number of the first item of the axis of time, which goes
                             //!< forward only
    epoch axis_start;        //!< of that
};

//! When an item was taken, and its tags.
struct ring_item {
    epoch start, end;
    ring_run run;
    std::vector<tag_t> tags; //!< with those of the begin of a run, and the stream's own
};

/*!
 * Times and tags of the items of an item_ring by their numbers, while a thread adds items and
 * others ask.
 */
class FRINGE_API ring_times
{
public:
    //! Items have `block` samples (or spectra), `rate` of them a second.
    ring_times(std::size_t block, double rate);

    //! The next item is the first of a run, and must have a time.
    void restart();
    //! Items from `number` on have come, with the tags of the first of them. Throws
    //! stream_mismatch where they do not say when they were taken, or at another rate.
    void add(std::uint64_t number, const std::vector<tag_t>& tags);
    //! The items before `first` are gone.
    void forget(std::uint64_t first);

    //! An item, also one that is to come; nothing of what was forgotten.
    std::optional<ring_item> item(std::uint64_t number) const;
    //! An item, or the first later one that was not forgotten: who waits for a disk may be
    //! overtaken by more than the times that are kept. Throws std::logic_error before the
    //! first item.
    ring_item oldest(std::uint64_t number) const;
    //! (start, end) of the items first ... end - 1 that were not forgotten, without the gaps
    //! between them.
    std::vector<std::pair<epoch, epoch>> stretches(std::uint64_t first,
                                                   std::uint64_t end) const;
    //! The number of the item, `first` or later, that an instant falls into, or of the next
    //! one behind a gap; the first of the axis of time is the earliest.
    std::uint64_t find(const epoch& instant, std::uint64_t first) const;
    //! When runs begin behind an item.
    std::vector<epoch> begins(std::uint64_t number) const;

private:
    void check_rate(double rate) const;
    void begin(std::uint64_t number, const epoch& start, std::optional<double> frequency);
    epoch time(const ring_run& run, std::uint64_t number) const;
    ring_item item_of(const ring_run& run, std::uint64_t number) const;
    const ring_run* run_of(std::uint64_t number) const;

    const std::size_t d_block;
    const double d_rate;
    std::deque<ring_run> d_runs;
    std::map<std::uint64_t, std::vector<tag_t>> d_tags; // by item
    std::optional<tag_t> d_described;                   // the tag `stream` that came last
    bool d_dated = false;
    mutable std::mutex d_mutex;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_RING_TIMES_H */
