/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_VAN_VLECK_H
#define INCLUDED_FRINGE_VAN_VLECK_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe {

/*!
 * \brief Makes dumps of 1-bit or 2-bit samples those of the signals before quantizing.
 * \ingroup fringe
 *
 * \details
 * Quantizing to a few levels bends correlations: of 1-bit signals with the correlation r
 * the mean product is 2 / pi asin(r), of 2-bit signals less bent, by their thresholds. It
 * acts on samples, so it is undone lag by lag: with N the transform length, h the
 * channelizer's filter, a(n) = sum h[m] h[m + n] / N,
 *
 *     R(n) = 1/N sum_k V_k exp(+2 pi i k n / N) / a(n)
 *     V'_k = sum_n a(n) s_i s_j f_ij^-1(R(n)) exp(-2 pi i k n / N)
 *
 * f: the mean product of two quantized Gaussian signals of correlation r (Van Vleck &
 * Middleton, Proc. IEEE 54, 2, 1966; Price, IRE Trans. IT-4, 69, 1958), for real and
 * imaginary part apart. With 2 bits, the thresholds over the standard deviation s follow
 * for each input and dump from its power; power is then linear, too, in units in which
 * the thresholds are at (1 + 3.3359) / 2. One bit keeps no power: it stays what it was.
 * Autocorrelations lose the white noise of quantizing.
 *
 * It is right for Gaussian noise, quantized once, without offset, over the whole band
 * that was sampled, and dumps as they left the Integrator: no gains, phases or delays
 * taken out, no fringe stopping, no channels missing, before flagging. Complex samples:
 * with circular statistics, as receivers' noise has. Real samples: the channel at half
 * the sample rate, which dumps lack, is taken to be like the last.
 *
 * Inputs and outputs: visibilities [channel][baseline], `channels_per_item` channels an
 * item; weights and flags (both optional) pass unchanged beside them. Tags of the dumps
 * pass. Products of inputs without power (1 bit), or whose power no 2-bit samples can
 * have, stay as they are.
 *
 * Throws std::invalid_argument for sizes of 0, one channel, other bits, and a filter that
 * there is not.
 */
class FRINGE_API van_vleck : virtual public gr::block
{
public:
    typedef std::shared_ptr<van_vleck> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels
     * \param complex_samples complex or real samples in front of the channelizer
     * \param bits of a real sample, or of each part of a complex one: 1 or 2
     * \param taps of the channelizer
     * \param window of the channelizer
     * \param channels_per_item channels in one item; 0 = fringe.channels_per_item()
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     bool complex_samples,
                     unsigned bits,
                     unsigned taps = 4,
                     const std::string& window = "hann",
                     std::size_t channels_per_item = 0);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_VAN_VLECK_H */
