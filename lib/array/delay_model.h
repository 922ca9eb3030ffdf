/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DELAY_MODEL_H
#define INCLUDED_FRINGE_ARRAY_DELAY_MODEL_H

#include "array/delay_polynomial.h"
#include "array/geometry.h"
#include "array/satellite.h"
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe::array {

//! A delay and how it changes.
struct FRINGE_API delay {
    double seconds = 0;
    double rate = 0; //!< seconds / second
};

//! Which delays, see delay_model.
enum class delay_kind { arrival, geometric };

/*!
 * The delays of all antennas against the first one, for one direction: right ascension
 * and declination (ICRS), azimuth and elevation, the zenith, or a satellite or a body of
 * the solar system at a finite distance. The antenna nearer the source hears it earlier and has the smaller delay.
 *
 * With T_a(t) the time that what antenna a hears at t has been on its way,
 *
 *     T_a(t) = -s(t).r_a / c                     a direction s (against the geocenter)
 *     T_a(t) = (|x - r_a| - |x|) / c             the Sun, the Moon or a planet seen at x
 *     T_a(t) = |x(t - T_a) - r_a| / c            a satellite at x, in a frame that does
 *                                                not turn while the signal travels
 *
 *     geometric:   tau_a(t) = T_a(t) - T_0(t)             = -w_a / c for a direction
 *     arrival:     D_a(t)   = T_a(t + D_a(t)) - T_0(t)
 *
 * Antenna a hears at t + D_a what antenna 0 hears at t: D is by what samples have to be
 * shifted. It differs from tau by how far the earth carries the antenna meanwhile (the
 * retarded baseline), 16 ns over 3000 km. docs/conventions.md says what is in the model.
 */
class FRINGE_API delay_model
{
public:
    delay_model(const observation& obs, const phase_center& direction);
    delay_model(const observation& obs, const satellite_track& track);

    //! [antenna], both antennas at the same instant.
    std::vector<delay> geometric(const epoch& t) const;
    //! [antenna], the same wavefront, which the first antenna hears at t.
    std::vector<delay> arrival(const epoch& t) const;
    //! Polynomials of the arrival, or the geometric delay, [antenna], from `start` on.
    //! Throws std::invalid_argument when a leap second lies within.
    std::vector<delay_polynomial>
    polynomials(const epoch& start,
                double seconds,
                unsigned degree = 6,
                delay_kind kind = delay_kind::arrival) const;

    //! Sentences for the user about delays at an instant; often none.
    std::vector<std::string> warnings(const epoch& t) const;

private:
    struct motion;

    std::vector<double> travel(const epoch& t, double dt) const;
    std::vector<double> body_travel(const epoch& t, double dt) const;
    std::vector<double> satellite_travel(const epoch& t, double dt) const;
    std::vector<motion> motions(const epoch& t) const;

    observation d_obs;
    phase_center d_direction;
    std::shared_ptr<const satellite_track> d_track;
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_DELAY_MODEL_H */
