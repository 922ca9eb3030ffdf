/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAMFORMER_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAMFORMER_H

#include "kernels/base/compute_target.h"
#include "kernels/base/host_device.h"
#include "kernels/base/types.h"
#include "kernels/beamformer/beam_means.h"
#include <complex>
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Beamformer: weighted sums of all inputs, per channel.
 *
 *     y_c,b[t] = sum_i w_b,c,i x_c,i[t]
 *
 * and sums over time of what beams bring,
 *
 *     P_b = sum_t |y_b|^2
 *     Q_p = sum_t y_2p conj(y_2p+1)                for pairs of beams
 *     I_b = sum_t sum_i |w_b,i|^2 |x_i|^2          the incoherent sum
 *
 * With V_ij the mean of x_i conj(x_j) over T spectra, P_b = T sum_ij w_b,i V_ij conj(w_b,j),
 * and I_b is the part of it that the autocorrelations make.
 *
 * Spectra blocks are those of an X-engine: [channel][input][time], or in another layout. An
 * input whose weight is zero in all channels of a beam is not read for that beam.
 */
struct beamformer_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    std::size_t block_spectra = 1; //!< length of the time axis of a block
    std::size_t beams = 1;
    component in = component::f32; //!< f32 or i8 (8 bits, or 4 bits in a byte each)
    spectra_layout layout = spectra_layout::channel_major;
    bool pairs = false;      //!< Q, too: beams 0 and 1, 2 and 3, ...
    bool incoherent = false; //!< I, too
    //! Tensor cores of a device may round weights to 11 bits, not 22: twice as fast.
    bool half_precision = false;

    //! Rows of sums: P of all beams, Re Q and Im Q of all pairs, I of all beams.
    FRINGE_HOST_DEVICE std::size_t rows() const
    {
        return beams + (pairs ? beams : 0) + (incoherent ? beams : 0);
    }
};

/*!
 * Weights that differ from beam to beam by delays alone:
 *
 *     w[b][c][i] = factors[c][i] exp(2 pi i (turns[b][i] + c slopes[b][i]))
 *
 * 0 where turns[b][i] is not a number: beam b does not read the input.
 */
struct beam_steering {
    std::size_t inputs = 1;
    std::vector<std::complex<float>> factors; //!< [channel][input]
    std::vector<double> turns, slopes;        //!< [beam][input]

    //! The weights [beam][channel][input].
    FRINGE_API std::vector<std::complex<float>> weights() const;
};

class FRINGE_API beamformer
{
public:
    explicit beamformer(const beamformer_params& p) : d_p(p) {}
    virtual ~beamformer() = default;
    //! The weights [beam][channel][input] of the spectra to come. They are zero before the
    //! first call.
    virtual void set_weights(const std::complex<float>* weights) = 0;
    //! The same of weights that beam_steering has, which a device makes by itself. Each beam reads
    //! the inputs that it read with the weights of the last set_weights().
    virtual void steer(const beam_steering& towards);
    //! Forms the beams of spectra first ... first + count - 1 of a block, at the same places
    //! of a block of beams [channel][beam][time] of complex float32.
    virtual void
    form(const void* spectra, std::size_t first, std::size_t count, void* beams) = 0;
    //! Adds what the beams of these spectra bring to the sums.
    virtual void add(const void* spectra, std::size_t first, std::size_t count) = 0;
    //! Writes the sums to `out` [row][channels / average], each over `average` channels side
    //! by side.
    virtual void read(std::size_t average, float* out) const = 0;
    //! Writes means of the sums over `average` channels, see beam_mean. The scales, and the
    //! weights, which are only copied to `weights_out`, are [beam][channels / average] of the
    //! host's memory; both pointers of weights may be null.
    virtual void mean(beam_mean what,
                      std::size_t average,
                      const float* scales,
                      const float* weights,
                      float* out,
                      float* weights_out);
    //! Sets all sums to zero.
    virtual void clear() = 0;

protected:
    const beamformer_params d_p;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<beamformer> make_beamformer(const compute_target& where,
                                                       const beamformer_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAMFORMER_H */
