/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHANNELIZER_H
#define INCLUDED_FRINGE_CHANNELIZER_H

#include <complex>
#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/fringe/tracking.h>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

/*!
 * \brief F-engine: splits the voltages of every input into channels (polyphase filter bank).
 * \ingroup fringe
 *
 * \details
 *     X_k[s] = 1/sqrt(N) sum_{n < L} h[n] x[s N + n] exp(-2 pi i k n / N),   L = taps N
 *
 * N = channels for complex voltages and 2 channels for real ones; h is a windowed sinc
 * with unit noise gain (sum h^2 = N), or the window alone with one tap. The mean over
 * channels of |X_k|^2 is the mean power of the samples. Theory: R. E. Crochiere and L. R.
 * Rabiner, "Multirate Digital Signal Processing", Prentice-Hall 1983, chapter 7.
 *
 * Input: voltages [input][time], `block_spectra` N samples an item.
 * Output: spectra [channel][input][time], `block_spectra` an item; complex float32, or
 * complex int8 when requantizing. Channels ascend in frequency: complex voltages give all
 * N, FFT-shifted; real ones the positive half without the Nyquist channel.
 *
 * Requantizing multiplies by `gains`, rounds to nearest even and clips to +-127 (8 bits)
 * or +-7 (4 bits, one to a byte).
 *
 * An rx_time that does not follow on the samples before it is a gap: the filter's history
 * is forgotten and the time axis goes on. A spectrum with an invalid sample in its window
 * is zero and marked invalid.
 *
 * With a tracking the delay D of every input is taken out of every spectrum, n = round(D
 * fs) whole samples before the transform and the rest after it,
 *
 *     X_k[s] = exp(2 pi i (f_k D - (f_k - f_0) n / fs)) / sqrt(N)
 *              sum_{m < L} h[m] x[s N + n + m] exp(-2 pi i k m / N)
 *
 * f_k the sky frequency of the channel, f_0 the one that the receiver puts at zero, D that
 * of the middle of the spectrum's window. Such spectra come as much later as the longest
 * delay of the array takes, in whole N; those whose window reaches back to before the data
 * began are invalid. At the end of the data those are made, too, whose windows lie within
 * them for all inputs.
 *
 * Message port `corrections`: new corrections while running, a dictionary of `corrections`
 * (c32vector, input * channels) and, unless they count at once, `time` (uint64 seconds,
 * double fraction): that of a dump's boundary, say. They count from the first spectrum on
 * whose window has its middle there or later. Several may wait for their times; new ones
 * take the place of those of the same or a later time.
 *
 * A kurtosis_flagger behind it looks for interference in the spectra.
 *
 * Tags read: rx_time, rx_rate, rx_freq, samples, invalid, blanked, damaged, elsewhere. Tags
 * written:
 *
 *   rx_time  start of the first spectrum, at the start and after a gap. A spectrum stands
 *            for the N samples in the middle of its L.
 *   rx_rate  spectra per second
 *   rx_freq  as received
 *   spectra  uint64, on an item that holds fewer spectra than a block (the first, of which
 *            the filter keeps taps - 1, and the last)
 *   invalid  u64vector of (input, first spectrum, count): runs of spectra in the item
 *   blanked  u64vector of (input, first sample, count): runs of samples that are zeros
 *            (pulse_blanker), from the first of the window of the item's first spectrum on
 *   gains    f32vector [input], first item of every run, when requantizing
 *   damaged  as received
 *   elsewhere as received: of items that the GPU of another channelizer computes, see
 *            unpack::make_turns(). This one only keeps the samples that it needs
 *
 * Throws std::invalid_argument for sizes of 0, taps outside 1 ... 32, an unknown window,
 * an item over 2 GB.
 */
class FRINGE_API channelizer : virtual public gr::block
{
public:
    typedef std::shared_ptr<channelizer> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels
     * \param block_spectra spectra in one item; 0 = fringe.block_spectra()
     * \param complex_samples true for complex voltages
     * \param component of the voltages: "i8", "i16" or "f32", or on a GPU "level", see unpack
     * \param taps taps per channel of the filter, 1 ... 32
     * \param window "rectangular", "hann", "hamming", "blackman" or "kaiser"
     * \param requantize "none", "8" or "4"
     * \param gains [input], or one for all: in front of the requantizer
     * \param conjugate [input] true where the spectrum is inverted; empty = nowhere
     * \param corrections [input * channels] factors on the spectra; empty = 1
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or
     *        an error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic"
     * \param tracking the delays to be tracked; null = none
     * \param part (first input, number of inputs) that are computed here; (0, 0) = all. The
     *        voltages and the tags are those of all inputs; the spectra go to a corner_turn
     */
    static sptr make(std::size_t inputs,
                     std::size_t channels,
                     std::size_t block_spectra = 0,
                     bool complex_samples = true,
                     const std::string& component = "f32",
                     unsigned taps = 4,
                     const std::string& window = "hann",
                     const std::string& requantize = "none",
                     const std::vector<float>& gains = {},
                     const std::vector<bool>& conjugate = {},
                     const std::vector<std::complex<float>>& corrections = {},
                     const std::string& backend = "auto",
                     const fringe::tracking::sptr& tracking = nullptr,
                     const std::pair<std::size_t, std::size_t>& part = {0, 0});

    //! Components of requantized spectra clipped so far, [input] of those computed here.
    virtual std::vector<std::uint64_t> saturated() const = 0;
    //! Samples of every input before those of an item that its spectra need, too.
    virtual std::size_t kept_samples() const = 0;
    //! New corrections, see the message port; from epoch() = at once. Throws
    //! std::invalid_argument for a wrong number of values.
    virtual void set_corrections(const std::vector<std::complex<float>>& corrections,
                                 const epoch& from = epoch()) = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_CHANNELIZER_H */
