/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SPECTRA_MASK_H
#define INCLUDED_FRINGE_BLOCKS_SPECTRA_MASK_H

#include "blocks/stream_tags.h"
#include <vector>

namespace gr {
namespace fringe {

/*!
 * Which spectra must not be used, because a sample in their window is invalid.
 *
 * Spectrum s of a stream uses samples s N ... s N + taps N - 1. Runs of invalid samples
 * come in with the items, runs of invalid spectra go out.
 */
class spectra_mask
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

//! Spectra of a sum in which both inputs were valid, per baseline.
class valid_counts
{
public:
    explicit valid_counts(std::size_t inputs);

    //! Counts spectra first ... first + count - 1 of an item whose invalid runs are
    //! given.
    void
    add(const std::vector<invalid_run>& runs, std::uint64_t first, std::uint64_t count);
    void clear();
    //! Of the spectra of the last add(), those in which an input was invalid, [baseline];
    //! empty when there were none.
    const std::vector<std::uint64_t>& last_invalid() const { return d_last; }
    std::uint64_t spectra() const { return d_spectra; }
    bool all_valid() const { return !d_some_invalid; }
    //! [baseline]
    std::vector<std::uint64_t> valid() const;

private:
    const std::size_t d_inputs;
    std::uint64_t d_spectra = 0;
    bool d_some_invalid = false;
    std::vector<std::uint64_t> d_invalid; // [baseline], empty while all are valid
    std::vector<std::uint64_t> d_last;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_SPECTRA_MASK_H */
