/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_WINDOW_PLAN_H
#define INCLUDED_FRINGE_STAGES_WINDOW_PLAN_H

#include "stages/planned_corrections.h"
#include "stages/window_steering.h"
#include <optional>

namespace gr::fringe {

/*!
 * What every plan of a filter bank knows of its samples: where they are on the axis of time,
 * where they begin and end, which corrections are to come, and how many zeros stand behind
 * them.
 *
 * A row is the N samples of every input from one spectrum to the next. Spectrum s of data
 * without a gap uses samples s N ... s N + taps N - 1 from their begin. Where windows are
 * shifted by delays, the filter takes in as many rows more as the longest delay needs before
 * it makes the first spectrum.
 */
class FRINGE_API window_plan
{
public:
    bool has_delays() const { return static_cast<bool>(d_steering); }
    //! Time of the samples.
    const array::timeline& time() const { return d_time; }
    //! New corrections count from the first spectrum on in the middle of whose window it is
    //! `from`, or later. Any thread may call this.
    void correct(std::vector<std::complex<float>> factors, const epoch& from);

protected:
    //! `towards` may be null: no delays. Throws std::invalid_argument.
    window_plan(const kernels::channelizer_params& p, const tracking::sptr& towards);

    //! Samples that do not follow on those before them.
    struct jump {
        array::timeline time;  //!< the axis from there on
        std::uint64_t sample;  //!< the first of them
        std::uint64_t missing; //!< of every input, before it
    };
    //! The next samples begin at an instant, and `expected` is the number of the next that
    //! would follow. Returns nothing when they do follow, on the axis as it was.
    std::optional<jump> jump_to(const epoch& start, double rate, std::uint64_t expected);

    //! Of spectra whose first window begins with sample `first`: how many are made before
    //! the next corrections count. Nothing: none wait, or not for the next `limit` spectra.
    std::optional<std::size_t> spectra_before_change(std::uint64_t first,
                                                     std::size_t limit) const;

    //! The filter holds `kept` rows, from the window on that begins with sample `first` up to
    //! the end of the data. Returns how many rows of zeros stand behind them for spectra none
    //! of whose windows meets one.
    std::size_t rows_of_zeros(std::uint64_t first, std::size_t kept) const;

    const std::size_t d_points;     //!< N
    const std::size_t d_taps;       //!< of the filter
    const std::size_t d_skip;       //!< rows for the longest delay
    const std::size_t d_fill;       //!< rows taken in before the first spectrum
    const std::size_t d_block_rows; //!< rows of a block
    const window_steering d_steering;
    array::timeline d_time;            //!< of samples
    std::uint64_t d_sample = 0;        //!< the next one to come
    std::uint64_t d_begin = 0;         //!< the first one since the start or the last gap
    bool d_ended = false;              //!< what comes now does not follow on them
    planned_corrections d_corrections; //!< that are to come
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_WINDOW_PLAN_H */
