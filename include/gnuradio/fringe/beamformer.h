/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BEAMFORMER_H
#define INCLUDED_FRINGE_BEAMFORMER_H

#include <complex>
#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/fringe/observation.h>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Beamformer: points the whole array at directions on the sky, several at once.
 * \ingroup fringe
 *
 * \details
 *     y_b,c[t] = sum_i w_b,c,i x_c,i[t],    w_b,c,i = a_i c_c,i exp(2 pi i f_c tau_b,i)
 *
 * tau is the delay of input i towards the direction (docs/conventions.md: later is positive),
 * a its amplitude (0 for a bad input), c the correction that the spectra still need. Signals
 * of N inputs from that direction add up to N times their voltage, receiver noise to sqrt(N)
 * times. The power of a beam is the sum of the visibilities that are phased to its direction,
 * autocorrelations included. See H. L. Van Trees, "Optimum Array Processing", Wiley 2002,
 * chapter 2.
 *
 * There is a beam for each direction and each polarization of the observation's inputs, the
 * polarization fastest: Sun X, Sun Y, Cas A X, ... A direction that moves is followed: the
 * weights are made anew before a phase has turned by 0.2 degrees, once a second at least. In
 * the directions of `nulls` no beam hears anything (projection of the weights). Where the
 * F-engine tracks (the observation's `tracking`), the weights are what is left from its phase
 * center to the beam.
 *
 * Input: spectra [channel][input][time], `block_spectra` an item; "f32" complex float32 or
 * "i8" complex int8, whose gains (tag `gains`) are divided out.
 *
 * Output, of `products` "voltages": spectra [channel][beam][time], complex float32, an item
 * for each item: whatever takes spectra takes beams for inputs.
 *
 * Output 0 of other products: a mean over time and over `average` channels side by side, an
 * item each, float32, channels ascending:
 *
 *   power       [beam][channel]  <|y|^2>
 *   incoherent  [beam][channel]  <sum_i |w_i|^2 |x_i|^2>: what the autocorrelations bring
 *   cross       [beam][channel]  power less incoherent: the noise of receivers has mean 0
 *   stokes      [direction][I Q U V][channel], of X and Y: XX = I + Q, YY = I - Q, XY = U + i V;
 *               of R and L: RR = I + V, LL = I - V, RL = Q + i U
 *
 * Output 1 (optional): [beam][channel] float32, sum_i |w_i|^2 over the inputs that were there,
 * its mean over the spectra and channels of the item. The powers are scaled to what all inputs
 * would have brought of noise: times sum |w|^2 of all, by sum |w|^2 of those that were there.
 * Nothing there gives 0 and weight 0.
 *
 * A mean lasts `seconds`, from one multiple since 1970-01-01 UTC to the next, or `spectra`,
 * counted from the first of the stream. It ends at a gap, and at the end of the data.
 *
 * Message port `beams`: new directions while running, a dictionary of `directions` (a vector of
 * symbols, as many as before), and where wanted `nulls` (the same), `amplitudes` (f32vector)
 * and `time` (uint64 seconds, double fraction): they count from the first spectrum on whose
 * middle is there or later.
 *
 * Message port `corrections`: factors of the spectra in place of those before, as the channelizer
 * takes them: a dictionary of `corrections` (c32vector [input * channels]) and, where wanted,
 * `time`. They count as new directions do. Send them to the channelizer or here, not to both.
 *
 * On a GPU the powers of beams are made and averaged where their spectra are; only means leave
 * it. The tensor cores of a Hopper GPU (H100) form beams of "i8" spectra.
 *
 * Tags read: rx_time, rx_rate, rx_freq, spectra, invalid, blanked, lost, flagged, gains, damaged. Tags
 * written with "voltages": rx_time, rx_rate, rx_freq, spectra, damaged as received;
 *
 *   invalid  u64vector of (beam, first spectrum, count): all inputs of the beam were invalid
 *   weights  f32vector [beam]: the part of sum |w|^2 in this item whose inputs were there,
 *            absent where that is all
 *
 * With other products, on both outputs: rx_time (the start of the first spectrum), interval and
 * exposure (seconds), rx_freq, channel_width (Hz), damaged.
 *
 * Throws std::invalid_argument naming the parameter. Spectra without rx_time end the flowgraph
 * with a sentence where directions move, or where `seconds` is not 0.
 */
class FRINGE_API beamformer : virtual public gr::block
{
public:
    typedef std::shared_ptr<beamformer> sptr;

    /*!
     * \param observation array, inputs, band, and whether the F-engine tracks
     * \param directions "zenith", a name ("Sun", "Cas A"), "RA,DEC", "az=AZ,el=EL" in degrees, or
     *        "satellite=FILE", a table of positions
     * \param products "voltages", "power", "incoherent", "cross" or "stokes"
     * \param seconds length of a mean; 0 = by spectra
     * \param spectra length of a mean in spectra; 0 = by seconds
     * \param average channels in a mean; it must divide them
     * \param channels of the spectra; 0 = the observation's
     * \param block_spectra spectra in one input item; 0 = fringe.block_spectra()
     * \param component of the spectra: "f32" or "i8"
     * \param complex_samples whether the spectra are those of complex samples
     * \param nulls directions in which no beam hears anything
     * \param amplitudes [input] 0 or more; empty = 1. Inputs that are known as bad have 0
     * \param corrections [input * channels] factors that the spectra still need, those of
     *        observation.corrections() where the channelizer has not applied them; empty = none
     * \param backend "auto", "cpu", "generic", "cuda", "cuda:1"
     * \param half_precision on a GPU with tensor cores, of "i8" spectra: weights of 11 bits, not
     *        22; beams of more than some 100 directions are formed twice as fast
     */
    static sptr make(const fringe::observation& observation,
                     const std::vector<std::string>& directions,
                     const std::string& products = "power",
                     double seconds = 0.1,
                     std::uint64_t spectra = 0,
                     std::size_t average = 1,
                     std::size_t channels = 0,
                     std::size_t block_spectra = 0,
                     const std::string& component = "f32",
                     bool complex_samples = true,
                     const std::vector<std::string>& nulls = {},
                     const std::vector<float>& amplitudes = {},
                     const std::vector<std::complex<float>>& corrections = {},
                     const std::string& backend = "auto",
                     bool half_precision = false);

    //! New directions, see the message port; from epoch() = at once.
    virtual void point(const std::vector<std::string>& directions,
                       const std::vector<std::string>& nulls = {},
                       const std::vector<float>& amplitudes = {},
                       const epoch& from = epoch()) = 0;
    //! New corrections, see the message port; from epoch() = at once. Throws
    //! std::invalid_argument for a wrong number of values.
    virtual void set_corrections(const std::vector<std::complex<float>>& corrections,
                                 const epoch& from = epoch()) = 0;
    //! The polarizations of the beams of a direction, in their order: "X", "XY", "RL", ...
    virtual std::string polarizations() const = 0;
    //! Directions times polarizations.
    virtual std::size_t beams() const = 0;
    virtual std::size_t inputs() const = 0;
    //! The weights at an instant with the directions that count now, [beam][channel][input].
    virtual std::vector<std::complex<float>> weights(const epoch& at) const = 0;
    //! A sentence on what the beams lose at an instant, as weights turn phases and shift no
    //! samples; "" where that is little. The log has it when the first spectra come.
    virtual std::string smearing(const epoch& at) const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BEAMFORMER_H */
