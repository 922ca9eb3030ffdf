/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_XENGINE_H
#define INCLUDED_FRINGE_XENGINE_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe {

/*!
 * \brief X-engine: multiplies every pair of inputs, per channel, and adds up in time.
 * \ingroup fringe
 *
 * \details
 *     S_c,ij = sum_t x_c,i[t] conj(x_c,j[t]),   i <= j
 *
 * Products are in row-major order of the upper triangle: 0-0, 0-1, ... 0-n, 1-1, ... See
 * Clark, La Plante, Greenhill, "Accelerating Radio Astronomy Cross-Correlation with
 * Graphics Processing Units", arXiv:1107.4264, for what an X-engine is.
 *
 * Input: spectra [channel][input][time], `block_spectra` an item; "f32" complex float32
 * or "i8" complex int8.
 * Output: short sums [channel][baseline] of `channels_per_item` channels an item, so that
 * channels / channels_per_item items, in order, make one sum; complex float32, or exact
 * complex int32 for "i8".
 *
 * A sum ends after `sum_spectra` spectra, and at every boundary of the dumps of the
 * integrators behind this block (seconds: at multiples since 1970-01-01 UTC; spectra:
 * counted from the first of the stream), wherever in a block that is. It also ends at a
 * gap and at the end of the data.
 *
 * The dump length is the integrator's: this block finds the integrators of its flowgraph by
 * itself, at the start and when their length changes. A length of its own, a parameter or a
 * message, is for an integrator in another flowgraph or process; its boundaries are added.
 *
 * Tags read: rx_time, rx_rate, rx_freq, spectra, invalid, blanked (pulse_blanker), elsewhere, lost
 * (udp_source), flagged, gains, damaged. Tags written on the first item of every sum:
 *
 *   rx_time  start of its first spectrum
 *   rx_rate  spectra per second
 *   spectra  uint64, spectra added up
 *   valid    u64vector [baseline], spectra in which both inputs were valid; absent when
 *            that is all of them. An f64vector where samples were blanked: a spectrum counts
 *            as what is left of it then
 *   flagged_spectra  where cells were flagged (kurtosis_flagger) or lost, a vector of pairs, one
 *            for each set of cells: the spectra that they are missing in, uint64, and the
 *            cells, as in the tag `flagged`. Where some of these spectra were lost, too,
 *            a vector [baseline] of those in which both inputs were valid, as `valid`
 *   rx_freq, gains, damaged  as received
 *
 * After damage a sum of no spectra carries the tag when no other item does.
 *
 * Message port `integration`: a new dump length of its own, in the integrator's form.
 *
 * Throws std::invalid_argument for sizes of 0, an unknown component, channels_per_item
 * that does not divide channels, both dump lengths at once.
 */
class FRINGE_API xengine : virtual public gr::block
{
public:
    typedef std::shared_ptr<xengine> sptr;

    /*!
     * \param inputs number of inputs, 1 ... 8192 (two per dual-polarization station)
     * \param channels number of channels
     * \param block_spectra spectra in one input item; 0 = fringe.block_spectra()
     * \param component "f32" or "i8"
     * \param sum_spectra longest sum, in spectra (at most 65535 for "i8": so it is exact)
     * \param dump_seconds also ends sums at the boundaries of such dumps; 0 = as the
     *        integrators of this flowgraph want
     * \param dump_spectra the same by spectra
     * \param channels_per_item channels in one output item; 0 = chosen
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or
     *        an error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic"
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     std::size_t block_spectra = 0,
                     const std::string& component = "f32",
                     std::uint64_t sum_spectra = 4096,
                     double dump_seconds = 0,
                     std::uint64_t dump_spectra = 0,
                     std::size_t channels_per_item = 0,
                     const std::string& backend = "auto");

    //! A new dump length of its own from the next spectra on; both 0 = none.
    virtual void set_integration(double seconds, std::uint64_t spectra) = 0;
};

//! Channels in one item of visibilities: the largest divisor of `channels` whose items,
//! and the ring buffer GNU Radio makes of them, stay of a sensible size.
FRINGE_API std::size_t channels_per_item(std::size_t inputs, std::size_t channels);

//! Spectra in one time block: half a megabyte to one of spectra, and a multiple of 4 (of 16
//! beyond 64 inputs, unless that makes items of more than 16 MB).
FRINGE_API std::size_t block_spectra(std::size_t inputs, std::size_t channels);

//! Spectra in one time block for a GPU: about 4 million samples of all inputs, 8 million
//! from 16 inputs on, in whole 128 spectra.
FRINGE_API std::size_t gpu_block_spectra(std::size_t inputs, std::size_t channels);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_XENGINE_H */
