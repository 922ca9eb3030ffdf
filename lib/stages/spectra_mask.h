/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H
#define INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H

#include "stages/window_steering.h"
#include <vector>

namespace gr::fringe {

/*!
 * Which spectra must not be used, because a sample in their window is invalid.
 *
 * Spectrum s of a stream uses samples s N ... s N + taps N - 1. Runs of invalid samples
 * come in with the items, runs of invalid spectra go out.
 */
class FRINGE_API spectra_mask
{
public:
    spectra_mask(std::size_t inputs, std::size_t points, unsigned taps);

    //! The stream starts anew with sample n.
    void reset(std::uint64_t n);
    //! Invalid samples of the item that begins with sample n.
    void add(const std::vector<invalid_run>& runs, std::uint64_t n);
    //! Invalid ones among the next `spectra` spectra, counted from the first of them.
    std::vector<invalid_run> take(std::size_t spectra);

    //! Rows of an item, from one spectrum of the delays on.
    struct rows {
        std::uint64_t origin;       //!< the sample that invalid ones are counted from
        std::uint64_t begin;        //!< first sample of the data, with no gap behind it
        std::uint64_t first_sample; //!< of the window of the next spectrum
        std::size_t first;          //!< its number among those of the delays
        std::size_t count;          //!< rows
        std::size_t spectra;        //!< that they complete
    };
    //! The spectra of these rows that must not be used: those whose windows, shifted by the
    //! delays, meet an invalid sample or reach back to before the data.
    std::vector<invalid_run> lost(const rows& some,
                                  const window_delays& delays,
                                  const std::vector<invalid_run>& invalid);

private:
    const std::size_t d_inputs;
    const std::uint64_t d_points;
    const std::uint64_t d_taps;
    std::uint64_t d_next = 0;        // first sample of the next spectrum
    std::vector<invalid_run> d_runs; // in samples of the stream
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H */
