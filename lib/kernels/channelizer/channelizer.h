/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CHANNELIZER_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CHANNELIZER_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include <complex>
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * F-engine: polyphase filter bank, FFT, correction, optional requantizing, corner turn.
 *
 *     X_k[s] = 1/sqrt(N) sum_{n<L} h[n] x[s N + n] exp(-2 pi i k n / N)
 *
 * N = channels for complex voltages (all of them, FFT-shifted to ascending frequency),
 * and 2 channels for real ones (k = 0 ... channels-1 of the positive half); L = taps N.
 * The factor 1/sqrt(N) gives spectra the scale of the voltages: the mean over channels of
 * |X|^2 is the mean power of the samples.
 *
 * Conjugated inputs (an inverted spectrum): complex samples are conjugated, real ones are
 * multiplied by (-1)^n, which mirrors the positive half and conjugates it.
 *
 * Spectrum s of a stream starts with sample s N; the last taps-1 spectra's worth of
 * samples stay inside as history, so a stream may be cut into calls anywhere that is a
 * multiple of N.
 */
struct channelizer_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    bool complex_samples = true;
    component in = component::f32; //!< component of the voltages
    unsigned taps = 1;
    std::string window = "rectangular";
    std::size_t block_spectra = 1; //!< length of the time axis of the output block
    unsigned requantize_bits = 0;  //!< 0: complex float32; 8, 4: complex int8
    std::vector<char> conjugate;   //!< [input], or empty
    std::vector<std::complex<float>> corrections; //!< [input][channel], or empty
    //! [input]: factor in front of the requantizer, which rounds to nearest even and
    //! clips to
    //! +-127 (8 bits) or +-7 (4 bits). Empty: 1. Not used without requantizing.
    std::vector<float> gains;
    //! Of the output block; tiles (of 8 or 4 bits) on a device only, spectra on the
    //! backend cpu only.
    spectra_layout layout = spectra_layout::channel_major;
    //! Samples by which windows may be shifted each way, see steering; 0: never.
    std::size_t max_shift_samples = 0;

    std::size_t points() const { return complex_samples ? channels : 2 * channels; }
};

//! Bytes from one spectrum to the next in a block of rows or spectra: where a call of
//! process() begins when others have written the block up to there.
FRINGE_API std::size_t spectrum_stride(const channelizer_params& p);
//! Bytes of a block, in any layout. Of layout time_major, what lies between the channels of
//! one spectrum and the next is nobody's.
FRINGE_API std::size_t block_bytes(const channelizer_params& p);

/*!
 * Where the array looks during a call: the delay D by which each input hears late is taken
 * out, in whole samples n = round(D fs) before the transform and what is left of it after,
 *
 *     X_k[s] = exp(2 pi i (f_k D - (f_k - f_0) n / fs)) / sqrt(N)
 *              sum_{n' < L} h[n'] x[s N + n + n'] exp(-2 pi i k n' / N)
 *
 * with f_k the sky frequency of channel k and f_0 the one that the receiver puts at zero.
 * Without fringe stopping the first term is (f_k - f_m) D, f_m the middle of the band: the
 * delay is taken out and the phase goes on turning with f_m D.
 */
struct steering {
    const double* delays; //!< [input][spectrum of the call], seconds
    std::size_t stride;   //!< spectra in a row of delays, samples / N at least
    double sample_rate;   //!< fs
    double frequency;     //!< f_m, sky frequency of the middle of the band
    bool stop_fringes = true;
};

class FRINGE_API channelizer
{
public:
    virtual ~channelizer() = default;

    /*!
     * Takes `samples` (a multiple of N, at most block_spectra * N) samples of every input
     * from `in` [input][in_stride] and writes the spectra they complete to `out`
     * [channel][input][block_spectra] (or in another layout), from the start of the time
     * axis. Returns their number: samples / N, less taps - 1 (and max_shift_samples, in whole N) after
     * construction or reset(). `saturated` [input] is increased by the number of clipped
     * spectra components. What lies beyond the spectra written is left as it was.
     */
    virtual std::size_t process(const void* in,
                                std::size_t in_stride,
                                std::size_t samples,
                                void* out,
                                std::uint64_t* saturated) = 0;
    //! The delays of the next call of process(); with max_shift_samples > 0 every call
    //! needs them. Longer ones count as max_shift_samples. Throws
    //! std::invalid_argument where they are missing.
    virtual void steer(const steering& towards) = 0;
    //! Sets spectra first ... first + count - 1 of one input to zero in a block that
    //! process() has written.
    virtual void
    blank(void* out, std::size_t input, std::size_t first, std::size_t count) const = 0;
    //! Forgets the history: the next sample is the first of a stream.
    virtual void reset() = 0;
    //! New corrections, [input][channel] or none. Throws std::invalid_argument.
    virtual void set_corrections(const std::vector<std::complex<float>>& corrections) = 0;
    //! The same for spectra `from` and later of the next call of process(). On a device
    //! only: calls for the host are cut there, which tiles do not allow.
    virtual void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections);
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<channelizer> make_channelizer(const compute_target& where,
                                                         const channelizer_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CHANNELIZER_H */
