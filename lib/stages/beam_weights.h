/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BEAM_WEIGHTS_H
#define INCLUDED_FRINGE_STAGES_BEAM_WEIGHTS_H

#include "kernels/beamformer/beamformer.h"
#include "stages/beam_nulls.h"
#include <complex>
#include <gnuradio/fringe/observation.h>
#include <gnuradio/fringe/tracking.h>
#include <string>
#include <vector>

namespace gr::fringe {

//! Where the beams of an array look. It may change while they are formed.
struct beam_settings {
    std::vector<tracking::sptr> directions; //!< delays without those of cables
    std::vector<tracking::sptr> nulls;      //!< directions that no beam hears
    std::vector<float> amplitudes;          //!< [input], 0 leaves it out; empty: 1
    bool moving = false; //!< some of these move over the array: the time must be known
};

//! The spectra that beams are formed of.
struct beam_spectra {
    std::size_t channels = 1;
    bool complex_samples = true;
    //! Factors [input * channels] that they still need; empty: 1.
    std::vector<std::complex<float>> corrections;
    //! The delays that the F-engine has taken out, without those of cables; null: none.
    tracking::sptr reference;
};

/*!
 * The weights of beams at an instant,
 *
 *     w_i(f) = a_i c_i(f) / g_i exp(2 pi i (f tau_i - f' tau'_i))
 *
 * tau_i the delay of input i towards the beam's direction, a_i its amplitude (0 where it is
 * bad), c_i its correction, g_i its gain in front of the requantizer. tau'_i is what the
 * F-engine has taken out, with f' = f, or f less the middle of the band where it stops no
 * fringes. The power of a beam is then the sum of the visibilities phased to its direction,
 * autocorrelations included.
 *
 * There is a beam for each direction and each polarization of the array, the polarization
 * fastest; it hears the inputs of its polarization.
 */
class FRINGE_API beam_weights
{
public:
    //! Throws std::invalid_argument naming the parameter.
    beam_weights(const observation& obs, beam_spectra of);

    //! The polarizations of the array, in their order: X, Y, R, L.
    const std::string& polarizations() const { return d_polarizations; }
    std::size_t beams(const beam_settings& s) const
    {
        return s.directions.size() * d_polarizations.size();
    }
    //! Other factors that the spectra need, from now on. Throws std::invalid_argument.
    void correct(std::vector<std::complex<float>> corrections);
    //! Throws std::invalid_argument where these are not corrections of the array.
    void check(const std::vector<std::complex<float>>& corrections) const;
    //! Throws std::invalid_argument where settings do not fit the array.
    void check(const beam_settings& s) const;

    //! Turns a second of the phase that turns fastest, of any input in any direction, when
    //! `frequency` is the middle of the band.
    double turning(const beam_settings& s, const epoch& t, double frequency) const;
    //! By how much the delays of inputs differ at most that the spectra still have, seconds.
    double spread(const beam_settings& s, const epoch& t) const;
    //! Hz from one channel to the next.
    double channel_width() const { return d_width; }
    //! The weights [beam][channel][input]. gains [input], or empty: 1.
    std::vector<std::complex<float>> at(const beam_settings& s,
                                        const epoch& t,
                                        double frequency,
                                        const std::vector<float>& gains) const;
    //! The same without nulls, as a device makes them.
    kernels::beam_steering steering_at(const beam_settings& s,
                                       const epoch& t,
                                       double frequency,
                                       const std::vector<float>& gains) const;

private:
    using phases = std::vector<std::complex<float>>; // [input][channel]

    std::vector<double> residual(tracking& towards, const epoch& t) const;
    template <class Use>
    void each_turn(tracking& towards, const epoch& t, double frequency, Use use) const;
    phases steering(tracking& towards, const epoch& t, double frequency) const;
    kernels::beam_steering
    turns_at(const beam_settings& s, const epoch& t, double frequency) const;
    std::vector<std::complex<float>> factors(const std::vector<float>& gains) const;
    float amplitude(const beam_settings& s, std::size_t input) const;
    beam_nulls nulls_of(const beam_settings& s, const epoch& t, double frequency) const;

    const std::vector<input> d_inputs;
    beam_spectra d_of;
    std::string d_polarizations;
    std::vector<std::size_t> d_place; // [input]: its polarization's
    double d_lowest = 0, d_width = 0; // of channels, Hz; the lowest from the middle
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BEAM_WEIGHTS_H */
