/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BEAM_LOSSES_H
#define INCLUDED_FRINGE_STAGES_BEAM_LOSSES_H

#include "kernels/base/types.h"
#include "stages/blanked_parts.h"
#include "stages/invalid_run.h"
#include <complex>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * How much of a beam was there: sum_t sum_i |w_b,c,i|^2 over the inputs that were valid in
 * channel c of spectrum t, and the same as if all had been.
 *
 * What inputs lose is counted in parts of spectra, once for all beams, and multiplied by
 * |w|^2 when a mean ends: once for all beams whose |w|^2 is the same.
 */
class FRINGE_API beam_losses
{
public:
    beam_losses(std::size_t beams, std::size_t channels, std::size_t inputs);

    //! The weights [beam][channel][input] of the spectra to come.
    void set_weights(const std::vector<std::complex<float>>& weights);
    //! Counts spectra first ... first + count - 1 of an item: runs of it are invalid in all
    //! channels, others were lost in some, and some cells are zero in the whole of it. Blanked
    //! samples (see blanked_spectra) take parts of spectra away, by these.
    void add(std::uint64_t first,
             std::uint64_t count,
             const std::vector<invalid_run>& invalid,
             const std::vector<lost_spectra>& lost,
             const std::vector<kernels::cell_run>& flagged,
             const std::vector<invalid_run>& blanked = {},
             const blanked_parts* parts = nullptr);
    void clear();

    std::uint64_t spectra() const { return d_spectra; }
    //! True when nothing was missing.
    bool whole() const { return d_whole; }
    //! Sums up what was lost; the first question after add() does that, too, and must not be
    //! asked by several threads.
    void sum_up() const;
    //! Of channels first ... first + count - 1.
    double there(std::size_t beam, std::size_t first, std::size_t count) const;
    double expected(std::size_t beam, std::size_t first, std::size_t count) const;
    //! A beam that lost the same, and is not behind this one; itself, where there is none.
    std::size_t like(std::size_t beam) const
    {
        return d_there.empty() ? d_firsts[d_group[beam]] : beam;
    }

private:
    void settle();
    void begin_count();
    std::size_t group_cell(std::size_t cell) const
    {
        return d_group[cell / d_channels] * d_channels + cell % d_channels;
    }
    double there_in(std::size_t cell) const;
    double expected_in(std::size_t cell) const;
    void lose(std::size_t channel, std::size_t input, std::uint64_t parts);

    const std::size_t d_beams, d_channels, d_inputs;
    std::vector<std::size_t> d_group;  // of each beam: those that have the same |w|^2
    std::vector<std::size_t> d_firsts; // the first beam of each group
    std::vector<float> d_powers;       // |w|^2 [group][channel][input]
    std::vector<double> d_all;         // their sums [group][channel]
    std::uint64_t d_counted = 0;       // spectra with these weights
    // Of these, what was lost: parts of spectra of each input [channel][input], which beams
    // have in common, and, once they are asked for, their sums [group][channel].
    std::vector<std::uint64_t> d_lost;
    std::vector<char> d_touched; // [channel]
    mutable std::vector<double> d_less;
    mutable bool d_summed = true;
    std::vector<std::uint64_t> d_zero; // [channel][input]: the call that found it flagged
    std::uint64_t d_calls = 0;
    // With the weights before [beam][channel]; empty: nothing.
    std::vector<double> d_there, d_expected;
    std::uint64_t d_spectra = 0;
    bool d_whole = true;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BEAM_LOSSES_H */
