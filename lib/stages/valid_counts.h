/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_VALID_COUNTS_H
#define INCLUDED_FRINGE_STAGES_VALID_COUNTS_H

#include "stages/invalid_run.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

//! Spectra of a sum in which both inputs were valid, per baseline.
class FRINGE_API valid_counts
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
    std::size_t d_inputs;
    std::uint64_t d_spectra = 0;
    bool d_some_invalid = false;
    std::vector<std::uint64_t> d_invalid; // [baseline], empty while all are valid
    std::vector<std::uint64_t> d_last;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_VALID_COUNTS_H */
