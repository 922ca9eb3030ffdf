/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_DUMP_PLAN_H
#define INCLUDED_FRINGE_STAGES_DUMP_PLAN_H

#include "array/dump_clock.h"
#include <optional>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * Plans dumps: which dump each sum of spectra belongs to, when a dump is finished, and how
 * many spectra of it came.
 *
 * For each sum: begin_sum(), then until both return true begin_length() and begin_dump(),
 * then add_sum(). Where one of the two returns false, finished() is a dump that has to be
 * sent before this sum may be added to the next one.
 *
 *     plan.begin_sum(start, spectra);
 *     while (!(plan.begin_length() && plan.begin_dump())) {
 *         send(plan.finished());
 *     }
 *     plan.add_sum(valid);
 *     if (plan.finish_full_dump()) {
 *         send(plan.finished());
 *     }
 *
 * A dump that a gap has swallowed whole is finished without a sum, unless there are more than
 * `longest_gap` of them: then the dumps go on behind the gap. Where time goes back they begin
 * anew.
 */
class FRINGE_API dump_plan
{
public:
    //! A dump as it is sent, in counters of the stream of spectra.
    struct dump {
        std::uint64_t first = 0;    //!< spectrum that it begins with
        epoch start;                //!< when that does, where times are known
        double rate = 0;            //!< spectra a second, where it is known
        std::uint64_t expected = 0; //!< spectra from its begin to its end
        std::uint64_t received = 0; //!< spectra that were added up
        //! [baseline], spectra without a loss, in parts (see spectrum_parts).
        std::vector<std::uint64_t> valid;
    };

    //! Dumps of no spectra that follow on each other, at most.
    static constexpr std::int64_t longest_gap = 10;

    //! Exactly one of seconds and spectra is positive; throws std::invalid_argument.
    dump_plan(std::size_t baselines, double seconds, std::uint64_t spectra);

    //! Throws std::invalid_argument where dumps cannot have that length.
    void check_length(double seconds, std::uint64_t spectra) const;
    //! Dumps have another length from the first sum on that begins at `from` or later; at
    //! once where that is not known.
    void
    set_length(double seconds, std::uint64_t spectra, const std::optional<epoch>& from);
    //! The length that was set last, also when it does not count yet.
    double seconds() const { return d_new ? d_new->seconds : d_clock.seconds(); }
    std::uint64_t spectra() const { return d_new ? d_new->spectra : d_clock.spectra(); }

    //! The next sum has so many spectra; 0: it brings tags only. It begins at `start`, or
    //! follows on the sum before. Returns how many spectra are missing before it.
    std::uint64_t begin_sum(const std::optional<array::beginning>& start,
                            std::uint64_t spectra);
    //! The dump under way ends before this sum, and the next one begins with it.
    void break_before_sum() { d_break = true; }
    //! The stream was stopped before this sum. No dump lies in the pause, and one that was under
    //! way is dropped, unless this sum belongs to it or to the next one.
    void stopped_before_sum() { d_stopped = true; }
    //! Spectra before this sum that are in no dump, and those of a dump that was dropped.
    std::uint64_t left_out() const { return d_left_out; }
    std::uint64_t dropped() const { return d_dropped; }
    //! True when a sum that begins then and has so many spectra is the last one once more.
    bool is_last_sum(const epoch& start, std::uint64_t spectra) const;

    //! Changes to a new length where that begins with this sum. False: the dump under way
    //! has to be sent first.
    bool begin_length();
    //! Why this sum cannot go into dumps of this length, a sentence; "" when it can. Sums
    //! that are cut for these dumps end where they do.
    std::string why_unfit(bool cut_for_dumps) const;
    //! Begins the dump of this sum, unless it is under way. False: another dump has to be
    //! sent first.
    bool begin_dump();
    //! Adds this sum to its dump. `valid`: [baseline] spectra without a loss, in parts; of
    //! another length: all of them.
    void add_sum(const std::vector<std::uint64_t>& valid);
    //! True when the dump under way has all the spectra it can have, and is now finished.
    bool finish_full_dump();
    //! Ends the dump under way where the data end; false when there is none.
    bool finish_last_dump();
    //! A dump of no spectra is finished, so that tags can go with it.
    void finish_empty_dump();

    //! The dump that was finished last.
    const dump& finished() const { return d_dump; }
    //! Time of the spectra.
    const array::timeline& time() const { return d_time; }

private:
    struct length {
        double seconds;
        std::uint64_t spectra;
        std::optional<epoch> from;
    };

    bool new_length_counts() const;
    void open(std::int64_t index, std::uint64_t first);
    void close(std::uint64_t end);

    array::dump_clock d_clock;
    std::optional<length> d_new; // of the dumps that follow on the one under way
    array::timeline d_time;
    std::uint64_t d_next = 0; // end of the last sum that was added

    std::uint64_t d_sum_first = 0, d_sum_spectra = 0; // this sum

    std::uint64_t d_left_out = 0, d_dropped = 0;
    bool d_break = false;   // no dump reaches across the begin of this sum
    bool d_stopped = false; // before it
    bool d_open = false;    // a dump is under way
    bool d_counted = false; // d_index counts dumps of the present length
    std::int64_t d_index = 0;
    dump d_dump;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_DUMP_PLAN_H */
