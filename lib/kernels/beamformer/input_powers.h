/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_INPUT_POWERS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_INPUT_POWERS_H

#include "kernels/beamformer/beamformer.h"
#include <algorithm>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The incoherent sums of a beamformer: sum_i |w_b,c,i|^2 A_c,i with A the sums of the powers
 * of inputs, which are the same for all beams. They are multiplied by the weights when the
 * sums are read, or the weights change. Without incoherent sums it is empty.
 */
class input_powers
{
public:
    explicit input_powers(const beamformer_params& p)
        : d_inputs(p.inputs),
          d_channels(p.channels),
          d_weights(p.incoherent ? p.beams * p.channels * p.inputs : 0),
          d_powers(p.incoherent ? p.channels * p.inputs : 0)
    {
    }

    void set(const std::complex<float>* weights)
    {
        std::transform(weights,
                       weights + d_weights.size(),
                       d_weights.begin(),
                       [](std::complex<float> w) { return std::norm(w); });
    }
    void add(std::size_t channel, std::size_t input, double power)
    {
        d_powers[channel * d_inputs + input] += power;
    }
    void clear() { std::fill(d_powers.begin(), d_powers.end(), 0.0); }

    //! The sum of a beam in a channel: `cell` = beam * channels + channel.
    double weighted(std::size_t cell) const
    {
        const float* const w = d_weights.data() + cell * d_inputs;
        const double* const a = d_powers.data() + cell % d_channels * d_inputs;
        double sum = 0;
        for (std::size_t i = 0; i < d_inputs; i++) {
            sum += static_cast<double>(w[i]) * a[i];
        }
        return sum;
    }
    //! Adds them to `sums` [beam][channel], and begins anew.
    void move_to(double* sums)
    {
        for (std::size_t cell = 0; cell < d_weights.size() / d_inputs; cell++) {
            sums[cell] += weighted(cell);
        }
        clear();
    }

private:
    const std::size_t d_inputs, d_channels;
    std::vector<float> d_weights; // |w|^2 [beam][channel][input]
    std::vector<double> d_powers; // [channel][input]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_INPUT_POWERS_H */
