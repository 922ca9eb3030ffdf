/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BASELINE_SELECT_H
#define INCLUDED_FRINGE_BASELINE_SELECT_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>

namespace gr::fringe {

/*!
 * \brief Takes the spectrum of one baseline out of the dumps, for displays.
 * \ingroup fringe
 *
 * \details
 * Input: visibilities [channel][baseline], `channels_per_item` channels an item.
 * Output: complex float32 [channel], one vector a dump: V_ij, conj(V_ji) for i > j. With
 * `normalize` it is the correlation coefficient V_ij / sqrt(V_ii V_jj) (0 where a power
 * is 0).
 *
 * Throws std::invalid_argument for an input that there is not.
 */
class FRINGE_API baseline_select : virtual public gr::block
{
public:
    typedef std::shared_ptr<baseline_select> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels
     * \param i first input
     * \param j second input
     * \param normalize correlation coefficient instead of the visibility
     * \param channels_per_item channels in one input item; 0 = fringe.channels_per_item()
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     std::size_t i = 0,
                     std::size_t j = 1,
                     bool normalize = false,
                     std::size_t channels_per_item = 0);

    //! Another baseline, from the next dump on.
    virtual void set_baseline(std::size_t i, std::size_t j) = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BASELINE_SELECT_H */
