/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_PULSE_SEARCH_H
#define INCLUDED_FRINGE_PULSE_SEARCH_H

#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * \brief How a pulse_blanker, or an fx_engine, looks for pulses in the samples.
 * \ingroup fringe
 *
 * \details
 * The search is that of pulse_blanker, whose page has its equations.
 */
class FRINGE_API pulse_search
{
public:
    //! part of the samples of noise that is blanked, each input
    double false_alarm = 3e-5;
    //! samples before and behind a pulse that are blanked, too; at most, where there are many
    std::size_t guard = 4;
    std::size_t window = 65536;          //!< samples whose level is measured together
    std::vector<std::size_t> bad_inputs; //!< inputs that do not count in the sum of all
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_PULSE_SEARCH_H */
