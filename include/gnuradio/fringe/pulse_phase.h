/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_PULSE_PHASE_H
#define INCLUDED_FRINGE_PULSE_PHASE_H

#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <string>

namespace gr::fringe {

namespace array {
class polyco;
}

/*!
 * \brief The phase of something that repeats: a pulsar, a noise diode that is switched.
 * \ingroup fringe
 *
 * \details
 * from_period(): dt seconds of UTC after `zero`, in turns,
 *
 *     phase(t) = phase_0 + dt / P - (P' / 2) (dt / P)^2
 *
 * from_polyco(): by the polynomials that TEMPO and TEMPO2 write for a pulsar and an
 * observatory; dt in minutes since the middle of the nearest of them,
 *
 *     phase(t) = RPHASE + 60 dt F0 + c_1 + c_2 dt + c_3 dt^2 + ...
 *
 * Reckoned in extended precision from whole seconds and a fraction: a turn in 1e12 is
 * known to 1e-6. Leap seconds are not counted: neither way goes through one.
 *
 * Throws std::invalid_argument for a period that is not positive, a file that is not
 * there or not such a file (with line, field and what would be right), and a pulsar that
 * is not in it.
 */
class FRINGE_API pulse_phase
{
public:
    struct turns {
        std::int64_t whole = 0;
        double fraction = 0; //!< 0 <= fraction < 1
    };

    static pulse_phase from_period(double period,
                                   const epoch& zero = epoch(),
                                   double derivative = 0,
                                   double phase = 0);
    //! `pulsar`: which, where the file has several.
    static pulse_phase from_polyco(const std::string& path,
                                   const std::string& pulsar = "");

    //! The phase at an instant; throws std::runtime_error where no polynomial covers it,
    //! and from 1e16 turns on, where no digits are left.
    turns at(const epoch& t) const;
    //! Sky frequency in Hz for which the phase holds; 0 where it is not known.
    double frequency() const;
    //! Dispersion measure in pc/cm^3 that a polyco file names, else 0.
    double dispersion() const;

private:
    double d_period = 1;
    double d_derivative = 0;
    double d_phase = 0;
    epoch d_zero;
    std::shared_ptr<const array::polyco> d_polyco;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_PULSE_PHASE_H */
