/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KURTOSIS_SEARCH_H
#define INCLUDED_FRINGE_KURTOSIS_SEARCH_H

#include <algorithm>
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * \brief How an fx_engine looks for interference, by kurtosis and power.
 * \ingroup fringe
 *
 * \details
 * The detectors are those of kurtosis_flagger. What is found in a window is left out of the
 * sums that the window was multiplied to.
 */
class FRINGE_API kurtosis_search
{
public:
    //! Spectra that are searched together, 16 to 65536, to the nearest whole number of
    //! blocks; 0: 64 for each input, but 256 at least and 2048 at most.
    std::size_t window = 0;
    double false_alarm = 1e-3;     //!< how often each detector is wrong in Gaussian noise
    bool per_input = true;         //!< detect by the kurtosis of each input
    bool combined = true;          //!< detect by the mean kurtosis of the inputs
    bool power = true;             //!< detect by power
    bool drop = true;              //!< leave out what is flagged; else only report it
    std::vector<std::size_t> mask; //!< channels that are always flagged
    std::vector<std::size_t> bad_inputs; //!< inputs that do not count in what is combined
    double period = 1;                   //!< seconds of data between two messages

    //! `window`, or the default for this number of inputs.
    std::size_t window_of(std::size_t inputs) const
    {
        return window ? window : std::clamp<std::size_t>(64 * inputs, 256, 2048);
    }
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_KURTOSIS_SEARCH_H */
