/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_DUMP_BINNER_H
#define INCLUDED_FRINGE_DUMP_BINNER_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/dump_axes.h>
#include <gnuradio/fringe/pulse_phase.h>

namespace gr::fringe {

/*!
 * \brief Folds short dumps into bins of phase: a pulsar's pulse apart from the rest, a
 * noise diode's on apart from its off.
 * \ingroup fringe
 *
 * \details
 * A dump belongs to the bin in which the phase of its middle lies, so the resolution in
 * time is that of the dumps that come in: give the integrator in front a length of a bin
 * or less. Where the DM is not 0, every channel is taken at its own phase,
 *
 *     D(f) = DM / 2.41e-4 (1/f^2 - 1/f_0^2) seconds later,   f in MHz
 *
 * f_0 being the frequency of the polyco file, else the middle channel's. With w the
 * weights and tau the lengths of the dumps in a bin, flagged cells left out, the output
 * has every `seconds` for every bin
 *
 *     V = sum w tau V / sum w tau,    weight = sum w tau / interval,
 *
 * so the weights (and exposures) of bins that make up a turn add up to those of one dump
 * without bins, and noise goes with them. Output dumps lie on absolute time, as the
 * integrator's; all bins of one have the same start and interval.
 *
 * Bins are equal parts of a turn; or gates, a list (from, to, from, to, ...) in turns,
 * which may reach over phase 1 and leave parts out.
 *
 * Input 0: visibilities [channel][baseline], input 1 (optional): weights, input 2
 * (optional): flags. Outputs 0 ... B-1: the bins' visibilities, B ... 2B-1 (optional):
 * their weights. Tags read: rx_time, interval, exposure, rx_freq, damaged; written: the
 * same and `bin`, the number of the bin, on the first item of every dump.
 *
 * Data at an instant that no polynomial of a polyco file covers end the flowgraph with a
 * message. Throws std::invalid_argument for gates that are none, no bins, no seconds, a
 * DM for channels without frequencies.
 */
class FRINGE_API dump_binner : virtual public gr::block
{
public:
    typedef std::shared_ptr<dump_binner> sptr;

    /*!
     * \param axes what the dumps that come in are
     * \param phase the phase of an instant
     * \param bins number of equal bins; not used where there are gates
     * \param gates (from, to, from, to, ...) in turns; empty = equal bins
     * \param seconds length of the output's dumps
     * \param dispersion DM in pc/cm^3; 0 = all channels at the same phase
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     */
    static sptr make(const dump_axes& axes,
                     const pulse_phase& phase,
                     std::size_t bins = 2,
                     const std::vector<double>& gates = {},
                     double seconds = 1.0,
                     double dispersion = 0.0,
                     std::size_t channels_per_item = 0);

    //! Number of bins.
    virtual std::size_t bins() const = 0;
    //! Dumps sent so far on every output.
    virtual std::uint64_t dumps() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_DUMP_BINNER_H */
