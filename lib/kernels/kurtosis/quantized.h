/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_QUANTIZED_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_QUANTIZED_H

#include "kernels/base/types.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * What rounding and clipping do to the spectral kurtosis of Gaussian noise, by the mean
 * power that comes out of them.
 *
 * Rounding alone matters below one step of standard deviation, clipping (at 127 or 7)
 * from a sixth of the full scale on: then the kurtosis is smaller and scatters less.
 * Expectation, scatter and skewness follow from the moments of the rounded Gaussian to
 * first order in 1/m.
 */
class FRINGE_API quantized_noise
{
public:
    //! `clip`: the largest value of a part, 127 or 7.
    explicit quantized_noise(int clip);

    struct effect {
        double kurtosis;  //!< expectation where that of ideal noise is 1
        double bias;      //!< to be added to it, divided by m
        double scatter;   //!< standard deviation in units of ideal noise's
        double asymmetry; //!< skewness in units of ideal noise's
    };
    //! Bins of power: 32 to the octave.
    static std::size_t bin(float power);
    //! For noise of that bin; null where it is too weak (half a step) or clipped so much
    //! that no test is possible.
    const effect* at(std::size_t bin) const
    {
        return bin < d_effects.size() && d_effects[bin].scatter > 0 ? &d_effects[bin]
                                                                    : nullptr;
    }
    std::size_t bins() const { return d_effects.size(); }

private:
    std::vector<effect> d_effects; // [bin]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_QUANTIZED_H */
