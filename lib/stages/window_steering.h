/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_WINDOW_STEERING_H
#define INCLUDED_FRINGE_STAGES_WINDOW_STEERING_H

#include "array/timeline.h"
#include "kernels/channelizer/channelizer.h"
#include "stages/invalid_run.h"
#include <gnuradio/fringe/tracking.h>
#include <vector>

namespace gr::fringe {

//! The instant in the middle of a window of so many samples that begins with sample
//! `first`.
inline epoch
window_middle(const array::timeline& time, std::uint64_t first, std::size_t window)
{
    return time.at(first).plus_half_samples(static_cast<std::int64_t>(window),
                                            time.rate());
}

//! Of windows that begin `points` samples apart, the first with sample `first`: how many have
//! their middles before an instant, a whole number. One within a femtosecond of it is on it.
FRINGE_API double windows_before(const epoch& instant,
                                 const array::timeline& time,
                                 std::uint64_t first,
                                 std::size_t window,
                                 std::size_t points);

/*!
 * The delays that a channelizer takes out of consecutive spectra, and which of them the
 * shifted windows make invalid. Without delays nothing is shifted.
 */
struct FRINGE_API window_delays {
    std::vector<double> seconds; //!< [input][spectrum]
    std::size_t inputs = 0;      //!< inputs with delays, 0: nothing is steered
    std::size_t spectra = 0;     //!< spectra of every input
    std::size_t points = 0;      //!< samples from one spectrum to the next
    std::size_t max_shift = 0;   //!< samples by which a window is shifted at most
    double sample_rate = 0;      //!< Hz
    bool stop_fringes = true;    //!< see kernels::steering

    explicit operator bool() const { return inputs > 0; }
    //! The delays of inputs first ... first + count - 1 alone.
    window_delays of_inputs(std::size_t first, std::size_t count) const;
    //! For the kernel, from spectrum `first` on; `frequency` of the middle of the band.
    kernels::steering steering(std::size_t first, double frequency) const;
    //! Samples by which the window of a spectrum is shifted at most, over the inputs.
    std::int64_t latest(std::size_t s) const;
    //! Invalid samples, counted from sample `origin` of the stream, where windows without
    //! a shift have to meet them, for `count` spectra from spectrum `first` on.
    std::vector<invalid_run> met_by_windows(std::vector<invalid_run> runs,
                                            std::uint64_t origin,
                                            std::size_t first,
                                            std::size_t count) const;
    //! Of `count` spectra from spectrum `first` on, those whose windows reach back to
    //! before sample `begin`, where the data do. Their first unshifted window begins with
    //! sample `sample`. Runs count from `first`.
    std::vector<invalid_run> before(std::uint64_t begin,
                                    std::uint64_t sample,
                                    std::size_t first,
                                    std::size_t count) const;

    //! Samples by which the window of a spectrum of an input is shifted.
    std::int64_t shift(std::size_t input, std::size_t s) const;
};

//! Finds the delays of the windows of a channelizer.
class FRINGE_API window_steering
{
public:
    //! `towards` may be null: then nothing is steered. Throws std::invalid_argument when
    //! it is for another number of inputs.
    window_steering(const tracking::sptr& towards, const kernels::channelizer_params& p);

    explicit operator bool() const { return d_towards != nullptr; }
    //! Samples by which windows may be shifted, see kernels::channelizer_params.
    static std::size_t max_shift_samples(const tracking::sptr& towards);

    //! The delays of `spectra` spectra, the first of which begins with sample `first`.
    //! Throws std::runtime_error where the time is not known, or the rate another one.
    window_delays
    delays(const array::timeline& time, std::uint64_t first, std::size_t spectra) const;

    //! Of `spectra` spectra, the first of which begins with sample `first`: how many from
    //! that on have their windows, those of all inputs, before sample `end`.
    std::size_t whole_before(std::uint64_t end,
                             const array::timeline& time,
                             std::uint64_t first,
                             std::size_t spectra) const;

private:
    const tracking::sptr d_towards;
    const std::size_t d_inputs, d_points, d_window;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_WINDOW_STEERING_H */
