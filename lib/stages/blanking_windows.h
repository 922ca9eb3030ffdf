/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BLANKING_WINDOWS_H
#define INCLUDED_FRINGE_STAGES_BLANKING_WINDOWS_H

#include "kernels/blanking/blanking.h"
#include "kernels/blanking/burst_search.h"
#include "kernels/blanking/pulse_limits.h"
#include "stages/found_pulses.h"
#include "stages/invalid_run.h"
#include "stages/pulse_edges.h"
#include <deque>
#include <gnuradio/fringe/pulse_search.h>
#include <string>

namespace gr::fringe {

//! Throws std::invalid_argument naming block and parameter.
FRINGE_API void check_pulse_search(const std::string& block,
                                   const pulse_search& search,
                                   std::size_t inputs);
//! The same for samples of so few bits (of a component) that they have no power above their
//! outer levels.
FRINGE_API void check_pulse_bits(const std::string& block, unsigned bits);

/*!
 * Blocks of voltages in, the same blocks out, whose pulses are zeros.
 *
 * Windows of samples are counted from the begin of the data, so what is a pulse does not depend
 * on the blocks. A block is ready when all windows that it lies in have been searched, and
 * `guard` samples behind it.
 *
 *     blanker.begin(0);
 *     for each block { blanker.add(block); while (blanker.ready()) blanker.take(block); }
 *     blanker.end();  while (blanker.ready()) blanker.take(block);
 */
class FRINGE_API blanking_windows
{
public:
    //! `p`: held_samples is found here. The search has been checked.
    blanking_windows(const kernels::compute_target& where,
                     kernels::blanking_params p,
                     const pulse_search& search);

    //! Forgets what it holds. The next sample is number `position` of the data since their
    //! begin; windows that began before it are not searched.
    void begin(std::uint64_t position);
    //! A block that follows on the one before; only while !ready(). Invalid samples are counted
    //! from its first.
    void
    add(const void* block, std::size_t samples, const std::vector<invalid_run>& invalid);
    //! The data end here: what is held is ready.
    void end();
    //! The oldest block is ready.
    bool ready() const
    {
        return !d_blocks.empty() && (d_ended || d_first + d_blocks.front() <= d_decided);
    }
    //! Samples of the oldest block.
    std::size_t next_samples() const { return d_blocks.front(); }
    //! Writes it, and returns its blanked samples: runs in order for each input.
    std::vector<invalid_run> take(void* block);

    //! Where a window begins that sample `position` lies in, or a guard behind it.
    static std::uint64_t first_needed(const pulse_search& s, std::uint64_t position)
    {
        return position < s.guard ? 0 : (position - s.guard) / s.window * s.window;
    }
    //! The end of the last window that is needed to decide on the samples before `end`.
    static std::uint64_t end_needed(const pulse_search& s, std::uint64_t end)
    {
        return (end + s.guard + s.window - 1) / s.window * s.window;
    }

private:
    void search();
    void search_windows(std::uint64_t first, std::uint64_t end);
    std::vector<std::size_t>
    guards_of(const kernels::sample_windows& windows,
              const std::vector<kernels::blanking_limits>& limits,
              const std::vector<found_of_window>& found);
    void keep_pulses(const found_of_window& found,
                     std::size_t guard,
                     std::vector<sample_range> all);
    std::vector<kernels::sample_run> lost_of(std::uint64_t first,
                                             std::uint64_t end) const;
    std::vector<sample_range> bursts_of(std::uint64_t begin,
                                        const kernels::window_levels& levels);
    void keep(std::size_t input, sample_range r);

    const kernels::blanking_params d_p;
    const pulse_search d_search;
    const std::unique_ptr<kernels::blanking> d_kernel;
    const kernels::pulse_limits d_limits;
    kernels::burst_search d_bursts;
    pulse_edges d_edges;
    std::deque<std::size_t> d_blocks; // samples of each that is held
    std::uint64_t d_first = 0;        // number of the oldest sample
    std::uint64_t d_end = 0;          // behind the latest
    std::uint64_t d_searched = 0;     // windows before it
    std::uint64_t d_decided = 0;      // samples before it
    bool d_ended = false;
    std::vector<std::deque<sample_range>> d_lost, d_pulses; // [input]
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BLANKING_WINDOWS_H */
