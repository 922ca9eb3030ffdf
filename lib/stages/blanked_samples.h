/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BLANKED_SAMPLES_H
#define INCLUDED_FRINGE_STAGES_BLANKED_SAMPLES_H

#include "stages/window_steering.h"
#include <deque>

namespace gr::fringe {

//! Blanked samples of a stream, as the windows of its spectra meet them.
class FRINGE_API blanked_samples
{
public:
    blanked_samples(std::size_t points, unsigned taps);

    //! The window of the next spectrum begins with sample n, and nothing is blanked.
    void reset(std::uint64_t n);
    //! Blanked samples of an item that begins with sample `origin`. Windows that are shifted
    //! by the delay of spectrum `s` meet them as much earlier; without delays `s` is ignored.
    void add(const std::vector<invalid_run>& runs,
             std::uint64_t origin,
             const window_delays& delays,
             std::size_t s);
    //! Those in the windows of the next `spectra` spectra, counted from the begin of the first
    //! window, in order for each input.
    std::vector<invalid_run> take(std::size_t spectra);
    //! Those of the next `spectra` spectra whose windows are blanked from end to end: they have
    //! nothing, as if they were lost. Counted from the next; before take().
    std::vector<invalid_run> whole_windows(std::size_t spectra) const;

private:
    struct run {
        std::size_t input;
        std::int64_t first, end;
    };

    const std::int64_t d_points, d_window;
    std::int64_t d_next = 0;
    std::deque<run> d_runs;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BLANKED_SAMPLES_H */
