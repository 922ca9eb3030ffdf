/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_TIME_SMEARING_H
#define INCLUDED_FRINGE_ARRAY_TIME_SMEARING_H

#include <gnuradio/fringe/observation.h>

namespace gr::fringe::array {

/*!
 * What averaging in time costs a source that is not in the phase center.
 *
 * The earth turns a baseline, and the fringes of a source at the angle theta from the
 * phase center, to which the data are phased, turn by at most
 *
 *     r = (f / c) w_E b_e 2 sin(theta / 2)      turns a second,
 *
 * f the frequency, w_E = 7.292115e-5 rad/s, and b_e the length of the baseline's part in
 * the plane of the equator. The mean over T seconds keeps at least
 *
 *     sinc(r T) = sin(pi r T) / (pi r T)
 *
 * of the amplitude.
 */
FRINGE_API double fringe_rate(const observation& obs,
                              std::size_t antenna1,
                              std::size_t antenna2,
                              double frequency,
                              double angle);

//! The largest r T for which 1 - sinc(r T) is at most `loss`, 0 < loss < 1.
FRINGE_API double turns_of_loss(double loss);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_TIME_SMEARING_H */
