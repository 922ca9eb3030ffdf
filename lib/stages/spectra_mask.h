/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H
#define INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H

#include "stages/invalid_run.h"
#include <gnuradio/fringe/api.h>
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

private:
    const std::size_t d_inputs;
    const std::uint64_t d_points;
    const std::uint64_t d_taps;
    std::uint64_t d_next = 0;        // first sample of the next spectrum
    std::vector<invalid_run> d_runs; // in samples of the stream
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_SPECTRA_MASK_H */
