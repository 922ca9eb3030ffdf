/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_SUM_JOIN_H
#define INCLUDED_FRINGE_SUM_JOIN_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <string>

namespace gr::fringe {

/*!
 * \brief Adds up the sums of X-engines that took blocks of spectra in turn.
 * \ingroup fringe
 *
 * \details
 *     S_c,ij = sum_n S^n_c,ij
 *
 * S^n is the sum of X-engine n over the spectra that its GPU made. Every X-engine cuts and
 * counts its sums as if it had made all spectra (those of others have the tag `elsewhere`),
 * so the sums of all begin and end together.
 *
 * Inputs: the sums of each X-engine, [channel][baseline], `channels_per_item` an item;
 * complex int32 of requantized spectra ("i8"), complex float32 of others ("f32").
 * Output: their sum, of the same kind. Integers are exact. Floats are added in the order of
 * the inputs, so that the result does not depend on who was first.
 *
 * The tags of a sum are those of its first part. Parts of one sum must agree in rx_time and
 * `spectra`; others end the data with a sentence. After a change of the flowgraph, sums that
 * some X-engine has lost in part are left out, and the log says how many spectra they had.
 *
 * Throws std::invalid_argument for sizes of 0, an unknown component, channels_per_item that
 * does not divide the channels.
 */
class FRINGE_API sum_join : virtual public gr::block
{
public:
    typedef std::shared_ptr<sum_join> sptr;

    /*!
     * \param parts number of X-engines
     * \param inputs number of inputs
     * \param channels number of channels
     * \param component "f32" or "i8", as the X-engines'
     * \param channels_per_item channels in one item
     */
    static sptr make(std::size_t parts,
                     std::size_t inputs,
                     std::size_t channels,
                     const std::string& component,
                     std::size_t channels_per_item);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_SUM_JOIN_H */
