/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_STRETCH_PLAN_H
#define INCLUDED_FRINGE_STAGES_STRETCH_PLAN_H

#include "array/dump_cuts.h"
#include "stages/stretch.h"
#include "stages/window_plan.h"
#include <deque>
#include <gnuradio/fringe/pulse_search.h>

namespace gr::fringe {

//! What a stretch_plan needs to know of the correlator.
struct stretch_settings {
    kernels::channelizer_params f;
    tracking::sptr towards;          //!< null: no delays are taken out
    std::size_t stretch_spectra = 1; //!< aim for the length of a stretch
    std::size_t longest_sum = 1;     //!< spectra of a sum at most
    std::size_t max_sums = 1;        //!< sums of a stretch at most, but for one window's
    std::size_t window = 0;          //!< spectra of a window of the search, 0: none
    double dump_seconds = 0;         //!< a sum ends where a dump does; both 0:
    std::uint64_t dump_spectra = 0;  //!< as set_dumps() says
    std::size_t mean_blocks = 0;     //!< over which the mean of samples goes, 0: it stays
    std::optional<pulse_search> pulses; //!< a search in windows of samples
};

//! Dumps first ... end - 1, by their numbers, see array::dump_clock.
struct dump_range {
    std::int64_t first = 0, end = 0;
};

/*!
 * Cuts a stream of raw blocks into stretches that workers take in any order.
 *
 * A gap forgets what the filter holds, so the next spectrum begins behind it.
 * Stretches end where dumps and windows of the search do: with the same blocks they are the
 * same, whoever works on them.
 */
class FRINGE_API stretch_plan : public window_plan
{
public:
    //! Throws std::invalid_argument.
    explicit stretch_plan(const stretch_settings& settings);

    //! The next block begins at `start`. Returns how many samples of every input are
    //! missing before it.
    std::uint64_t begin(const epoch& start, double rate);
    //! The middle of the band from the next block on. No spectrum is made of samples of two
    //! frequencies.
    void set_frequency(double hz);
    //! Dumps of a recording of so many samples, which has begun and lies there in full blocks:
    //! their numbers, where the last spectra may be too few for one. Throws
    //! std::invalid_argument where no length of dumps is set.
    dump_range dumps_in(std::uint64_t samples);
    //! Every stretch ends with a dump that is such a number of dumps from dump 0.
    std::int64_t dumps_together() const;
    //! Only the stretches of these dumps are cut; right behind begin(), for full blocks
    //! without a gap. They are the same stretches as without that. Returns the number of the
    //! first block to add(). Throws std::invalid_argument where a stretch would not begin or
    //! end with these dumps, and with windows of a search.
    std::uint64_t select(const dump_range& dumps);
    //! The stretches of all selected dumps have been cut: no more blocks are needed.
    bool past_selection() const;
    //! Samples of a recording that nobody has, from its first one on.
    struct gap {
        std::uint64_t begin, end;
    };
    struct place_behind_gap {
        std::uint64_t position; //!< of the next block to add()
        std::uint64_t lost;     //!< samples before it that are counted here
    };
    //! The next block of a recording ends in a gap. Where more than dump_plan::longest_gap
    //! dumps have no sample, they are left out: the data go on behind them as soon as only
    //! they would need the block. Which dumps there are does not depend on those selected.
    std::optional<place_behind_gap> skip(const gap& missing);
    //! A block that follows on the one before.
    void add(std::shared_ptr<const raw_block> block);
    //! The data have ended: what is left becomes stretches.
    void end() { plan(true); }

    bool ready() const { return !d_ready.empty(); }
    //! The next stretch; only when ready().
    stretch take();

    //! A new length of the dumps of an integrator, from the next spectrum on that is not
    //! planned yet. Returns when that begins, where times are known. `integrator`: its
    //! number, or of_settings.
    std::optional<epoch>
    set_dumps(long integrator, double seconds, std::uint64_t spectra);
    static constexpr long of_settings = -1;
    //! All integrators but those of the settings and of these numbers are gone.
    void keep_integrators(std::set<long> these);

private:
    struct held_block {
        std::shared_ptr<const raw_block> block;
        std::uint64_t number;        // of all blocks
        std::size_t first_row, rows; // of the data since the last gap
        bool counted;                // it went into a stretch
    };

    std::uint64_t first_spectrum_of(std::int64_t dump);
    std::uint64_t counted(std::uint64_t from, std::uint64_t to) const;
    void plan(bool all);
    void plan_uncounted_blocks();
    void add_zeros();
    void restart(std::uint64_t sample);
    void start_spectra();
    std::uint64_t stretch_end() const;
    std::uint64_t sum_end(std::uint64_t spectrum) const;
    void add_sums(stretch& s, std::size_t spectra) const;
    void add_blocks(stretch& s);
    void add_earlier_blocks(stretch& s, std::uint64_t first) const;
    void add_searched_blocks(stretch& s) const;
    std::uint64_t searched_rows(std::uint64_t end) const;
    std::uint64_t behind_selection() const;
    void add_corrections(stretch& s, std::size_t spectra);
    void cut(std::size_t spectra);
    void forget_blocks();
    std::uint64_t sample(std::uint64_t spectrum) const;
    std::size_t available() const;

    const stretch_settings d_settings;
    const std::size_t d_missing;         // spectra of the first window
    const std::size_t d_lead, d_earlier; // blocks before a stretch that may be needed
    array::dump_cuts d_cuts;

    std::size_t d_rows = 0;      // whole rows since the start or the last gap
    std::uint64_t d_planned = 0; // spectra since then that are in stretches
    std::deque<held_block> d_blocks;
    std::uint64_t d_numbered = 0;     // blocks that came
    std::uint64_t d_first_number = 0; // of the data
    //! For running means, and windows of samples.
    std::deque<std::shared_ptr<const raw_block>> d_last_blocks;

    array::timeline d_spectra;           // time of spectra
    std::uint64_t d_next = 0;            // number of the next spectrum on that axis
    bool d_axis_known = false;           // the axis has been told where the data begin
    std::size_t d_counted_rows = 0;      // blocks that begin before went into a stretch
    std::optional<std::uint64_t> d_stop; // where the selected dumps end on that axis
    std::optional<std::uint64_t> d_before_gap; // no spectrum from there on is made
    double d_frequency = 0;

    std::shared_ptr<const correction_factors> d_factors;
    std::deque<stretch> d_ready;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_STRETCH_PLAN_H */
