/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_VALID_COUNTS_H
#define INCLUDED_FRINGE_STAGES_VALID_COUNTS_H

#include "stages/blanked_parts.h"
#include "stages/invalid_run.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

//! Spectra of a sum in which both inputs were valid, per baseline, less what blanked samples
//! take away: in parts of a spectrum, see spectrum_parts.
class FRINGE_API valid_counts
{
public:
    explicit valid_counts(std::size_t inputs);

    //! Counts spectra first ... first + count - 1 of an item whose invalid runs are given.
    //! `parts`: of the filter that made them, where samples were blanked, see
    //! blanked_spectra; else null.
    void add(const std::vector<invalid_run>& runs,
             std::uint64_t first,
             std::uint64_t count,
             const std::vector<invalid_run>& blanked = {},
             const blanked_parts* parts = nullptr);
    void clear();
    //! Parts of the spectra of the last add() that are lost, [baseline]; empty when none are.
    const std::vector<std::uint64_t>& last_lost() const { return d_last; }
    std::uint64_t spectra() const { return d_spectra; }
    bool all_valid() const { return d_lost.empty(); }
    //! [baseline], in parts of a spectrum.
    std::vector<std::uint64_t> valid() const;

private:
    std::size_t d_inputs;
    std::uint64_t d_spectra = 0;
    std::vector<std::uint64_t> d_lost; // [baseline], empty while all are valid
    std::vector<std::uint64_t> d_last;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_VALID_COUNTS_H */
