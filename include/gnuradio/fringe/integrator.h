/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_INTEGRATOR_H
#define INCLUDED_FRINGE_INTEGRATOR_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe {

/*!
 * \brief Adds the X-engine's short sums up to dumps: mean visibilities and their weights.
 * \ingroup fringe
 *
 * \details
 *     V_c,ij = (sum S_c,ij) / (n_ij g_i g_j),   weight = n_ij / n
 *
 * n_ij: spectra in which both inputs were valid, and not flagged in channel c; n: spectra
 * that fit in the dump's span; g: gains in front of the requantizer. Added in double, or exactly in int64 for "i8".
 * Nothing valid gives V = 0 and weight 0, never NaN.
 *
 * Dumps lie on absolute time: by seconds, dump k is [k T, (k+1) T) since 1970-01-01 UTC;
 * by spectra, they are counted from the first of the stream. The X-engines before this
 * block, in the same flowgraph, end their sums at the boundaries of its dumps, so that dumps
 * are exact to the spectrum; the dump length is given here only. Sums from elsewhere that
 * reach beyond the end of a dump end the flowgraph with a sentence that names both lengths.
 * The first and the last dump may be shorter; the last is flushed at the end of the data
 * with its true exposure.
 *
 * A length in seconds needs the rate of the spectra: sums without rx_rate end the flowgraph
 * with a sentence.
 *
 * Input: short sums [channel][baseline], `channels_per_item` channels an item.
 * Output 0: visibilities, complex float32 [channel][baseline], items as at the input.
 * Output 1 (optional): weights, float32, same shape: 0 ... 1.
 *
 * Tags read: rx_time, rx_rate, rx_freq, spectra, valid, flagged_spectra, gains, damaged.
 * Tags written on the first item of every dump:
 *
 *   rx_time   start of its first spectrum
 *   interval  double, seconds from there to the end of the last
 *   exposure  double, seconds of data in it
 *   channel_width  double, Hz from one channel to the next
 *   rx_freq, damaged  as received
 *
 * The first three and the width are left out where the spectra have no rate.
 *
 * Message port `integration`: a new dump length: a number (seconds), or a pair
 * ("seconds" . number) or ("spectra" . number). It holds from the next spectrum of the
 * X-engine on: the dump begun under the old length is closed first.
 *
 * Throws std::invalid_argument for sizes of 0, an unknown component, channels_per_item
 * that does not divide channels, no or two dump lengths.
 */
class FRINGE_API integrator : virtual public gr::block
{
public:
    typedef std::shared_ptr<integrator> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels
     * \param component "f32" or "i8", as the X-engine's
     * \param seconds dump length in seconds; 0 = by spectra
     * \param spectra dump length in spectra; 0 = by seconds
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or
     *        an error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic"
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     const std::string& component = "f32",
                     double seconds = 1.0,
                     std::uint64_t spectra = 0,
                     std::size_t channels_per_item = 0,
                     const std::string& backend = "auto");

    //! A new dump length; exactly one of the two is not 0.
    virtual void set_integration(double seconds, std::uint64_t spectra = 0) = 0;
    //! Dumps sent so far.
    virtual std::uint64_t dumps() const = 0;
    //! Spectra that were expected and never came, so far (gaps).
    virtual std::uint64_t spectra_lost() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_INTEGRATOR_H */
