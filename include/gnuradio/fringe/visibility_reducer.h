/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_VISIBILITY_REDUCER_H
#define INCLUDED_FRINGE_VISIBILITY_REDUCER_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/dump_axes.h>

namespace gr::fringe {

/*!
 * \brief Makes smaller dumps: channels averaged or selected, autos or crosses only, one
 * polarization, Stokes parameters.
 * \ingroup fringe
 *
 * \details
 * What is kept says a `dump_axes`, which has the frequencies and the pairs of what comes
 * out, and the observation that a visibility_sink behind this block is given.
 *
 * With w the weights of the N cells that become one, flagged ones left out:
 *
 *     V = sum w V / sum w,    weight = sum w / N
 *
 * so the new weight is the fraction of the new cell that is valid and good. A Stokes
 * parameter is missing where one of its two products is; its weight is
 * 2 / (1/w_1 + 1/w_2), as its noise. Nothing left: V = 0, weight 0, and the flags are
 * those of all the cells together (`lost` for weight 0). Cells that are only selected keep
 * value, weight and flags.
 *
 * Input 0: visibilities [channel][baseline], input 1 (optional): weights, input 2
 * (optional): flags; as the integrator and the flaggers send them. Outputs 0, 1, 2: the
 * same of the smaller dumps, 1 and 2 optional. Tags read and written: rx_time, interval,
 * exposure, rx_freq, damaged, on the first item of every dump.
 *
 * Throws std::invalid_argument for a channels_per_item that does not divide the channels.
 */
class FRINGE_API visibility_reducer : virtual public gr::block
{
public:
    typedef std::shared_ptr<visibility_reducer> sptr;

    /*!
     * \param axes what comes in, and what is kept of it
     * \param channels_per_item channels in one input item; 0 = fringe.channels_per_item()
     * \param reduced_per_item channels in one output item; 0 = chosen likewise
     */
    static sptr make(const dump_axes& axes,
                     std::size_t channels_per_item = 0,
                     std::size_t reduced_per_item = 0);

    //! Dumps sent so far.
    virtual std::uint64_t dumps() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_VISIBILITY_REDUCER_H */
