/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BEAM_PLAN_H
#define INCLUDED_FRINGE_STAGES_BEAM_PLAN_H

#include "array/timeline.h"
#include "stages/beam_weights.h"
#include "stages/planned_corrections.h"
#include <mutex>
#include <optional>

namespace gr::fringe {

/*!
 * Plans a beamformer: which weights count for which spectra.
 *
 * Weights are made for a stretch of spectra, for the instant in its middle. A stretch is so
 * short that no phase of an input turns by more than max_turn from there to its ends, so the
 * beam loses less than 4e-6 of its power; it lasts a second at most. New settings count from
 * the first spectrum on whose middle is at their time or later, and begin a stretch; so do
 * new corrections.
 */
class FRINGE_API beam_plan
{
public:
    //! Turns of phase within a stretch, from its middle on.
    static constexpr double max_turn = 1.0 / 1800;

    //! Throws std::invalid_argument.
    beam_plan(beam_weights weights, beam_settings settings);

    const beam_weights& array() const { return d_weights; }
    std::size_t beams() const { return d_beams; }
    //! New settings with as many directions, from an instant on; epoch() = at once. Any
    //! thread may call this. Throws std::invalid_argument.
    void change(beam_settings settings, const epoch& from);
    //! New factors of the spectra, see beam_spectra, from an instant on. Any thread may call
    //! this. Throws std::invalid_argument.
    void correct(std::vector<std::complex<float>> factors, const epoch& from);

    //! What spectra are like, beside their time: the middle of the band, and gains [input] in
    //! front of the requantizer, or none.
    void describe(double frequency, const std::vector<float>& gains);
    //! The spectra to come do not follow on those before.
    void restart() { d_end = d_begin; }
    //! Of `limit` spectra from number n on: how many have the same weights. Throws
    //! std::runtime_error where times are needed and not known.
    std::uint64_t next(const array::timeline& time, std::uint64_t n, std::uint64_t limit);
    //! The weights of the settings that count now, at an instant. Any thread may call this.
    std::vector<std::complex<float>> weights_at(const epoch& t) const;
    //! A sentence on what beams lose because weights turn phases and shift no samples; "" where
    //! that is little.
    std::string smearing(const epoch& t) const;
    //! Whether the weights of these spectra are others than those of the spectra before.
    bool changed() const { return d_changed; }
    //! Whether they differ from the last weights() by phases alone, which steering() has.
    bool turned() const { return d_turned; }
    //! The weights of the spectra of the last next(), [beam][channel][input], unless they turned.
    const std::vector<std::complex<float>>& weights() const { return d_now; }
    const kernels::beam_steering& steering() const { return d_steering; }

private:
    struct planned {
        beam_settings settings;
        epoch from;
    };

    std::optional<std::uint64_t> take_changes(const array::timeline& time,
                                              std::uint64_t n);
    void make(const array::timeline& time, std::uint64_t n);

    const std::size_t d_beams;
    mutable std::mutex d_mutex; // of what other threads read or change: the next five
    beam_weights d_weights;
    std::optional<planned> d_next;
    beam_settings d_settings;
    double d_frequency = 0;
    std::vector<float> d_gains;
    std::vector<std::complex<float>> d_now;
    kernels::beam_steering d_steering;
    planned_corrections d_corrections; // that are to come
    bool d_changed = false, d_turned = false;
    std::uint64_t d_begin = 0, d_end = 0; // of the stretch
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BEAM_PLAN_H */
