/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H
#define INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H

#include <algorithm>
#include <cstddef>
#include <gnuradio/fringe/threads.h>

namespace gr::fringe {

//! Items of this size and above, as GPUs take them, are read by all threads.
constexpr std::size_t large_item = std::size_t(4) << 20;

//! Threads that read a recording into the ring behind a source. One copies 3 to 5 GB/s out
//! of the system's memory: stages on a CPU take less, a GPU takes ten times as much. Some cores
//! are left for GNU Radio's threads and the driver's, which must not wait: 13 threads on 16 cores
//! read as much as 16.
inline unsigned reading_threads(std::size_t bytes)
{
    const auto all = static_cast<unsigned>(threads());
    return bytes < large_item ? 1 : all - all / 5;
}

// How long rings are. The ring before a block holds what the block works on at a time, and what is
// written meanwhile, so that neither of the two threads waits for every item of the other; and no
// more than stays in a cache until it is read, and until it is written over. What is worked on at a
// time differs: some items for each core or a copy to a GPU (behind a source), a call of work
// (between stages), all stretches of an fx_engine (before one).

//! Bytes of the longest of these rings, but for those of large items: what a cache holds.
constexpr std::size_t longest_ring = std::size_t(64) << 20;

//! Items that the ring behind a source holds: some for each core that fx_engine keeps busy, at
//! most 4 MB for each. Of large items 48 MB, and four at least: GNU Radio fills half of a ring at a time, which all threads have enough of,
//! and a longer ring would not stay in the third-level cache until the GPU has copied it.
inline std::size_t items_ahead(std::size_t bytes)
{
    if (bytes >= large_item) {
        return std::max<std::size_t>(4, (std::size_t(48) << 20) / bytes);
    }
    const auto cores = static_cast<std::size_t>(threads());
    const std::size_t longest = std::min(cores << 22, longest_ring);
    return std::clamp<std::size_t>(longest / bytes, 4, 16 * cores + 16);
}

//! Items that a block on the CPU takes in one call of work: one, or where they are small so
//! many that the calls cost nothing. GNU Radio hands on what a call has made when the call
//! ends, and the next stage begins then.
inline std::size_t items_per_call(std::size_t bytes)
{
    return std::max<std::size_t>((std::size_t(256) << 10) / bytes, 1);
}

//! Items that the ring between two stages on the CPU holds: four calls of work. Twice as many cost
//! a third more of the processor time at 32 inputs x 256 channels.
inline std::size_t items_between_stages(std::size_t bytes)
{
    return std::min(4 * items_per_call(bytes), longest_ring / bytes);
}

//! Items that the ring before an fx_engine holds: those that it works on or gathers, where that
//! is not too long; else as many as behind a source.
inline std::size_t items_before_engine(std::size_t bytes, std::size_t in_work)
{
    const std::size_t ahead = items_ahead(bytes);
    return (in_work + 2) * bytes <= longest_ring ? std::max(ahead, in_work + 2) : ahead;
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_ITEMS_AHEAD_H */
