/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_MEANS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_MEANS_H

#include "kernels/base/host_device.h"
#include <cmath>
#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * What means are made of the sums of a beamformer:
 *
 *     power        s P
 *     incoherent   s I
 *     cross        s (P - I)
 *     stokes       of pairs of beams, X and Y (linear) or R and L: I, Q, U, V
 *
 * s is the scale of a beam; of the product Q of two it is sqrt(s s').
 */
enum class beam_mean { power, incoherent, cross, stokes_linear, stokes_circular };

inline bool is_stokes(beam_mean m) { return m >= beam_mean::stokes_linear; }

//! The sums [row][cell] of beamformer::read(), and the scales [beam][cell].
struct beam_mean_sums {
    beam_mean what;
    const float *rows, *scales;
    std::size_t beams, cells;

    FRINGE_HOST_DEVICE double at(std::size_t row, std::size_t cell) const
    {
        return static_cast<double>(rows[row * cells + cell]);
    }
    //! Values of a mean.
    FRINGE_HOST_DEVICE std::size_t values() const
    {
        return (what >= beam_mean::stokes_linear ? 2 : 1) * beams * cells;
    }
    //! Value number n, [beam][cell], or [pair][I Q U V][cell].
    FRINGE_HOST_DEVICE float value(std::size_t n) const
    {
        if (what >= beam_mean::stokes_linear) {
            return static_cast<float>(
                stokes(n / cells / 4 * 2, n / cells % 4, n % cells));
        }
        const double power = at(n / cells, n % cells);
        const double alone =
            what == beam_mean::power ? 0 : at(beams + n / cells, n % cells);
        return static_cast<float>(
            static_cast<double>(scales[n]) *
            (what == beam_mean::incoherent ? alone : power - alone));
    }

private:
    FRINGE_HOST_DEVICE double
    stokes(std::size_t beam, std::size_t which, std::size_t cell) const
    {
        const auto of_a = static_cast<double>(scales[beam * cells + cell]);
        const auto of_b = static_cast<double>(scales[(beam + 1) * cells + cell]);
        const double aa = of_a * at(beam, cell), bb = of_b * at(beam + 1, cell);
        const double both = sqrt(of_a * of_b);
        const double re = both * at(beams + beam, cell);
        const double im = both * at(beams + beam + 1, cell);
        const bool circular = what == beam_mean::stokes_circular;
        switch (which) {
        case 0:
            return (aa + bb) / 2;
        case 1:
            return circular ? re : (aa - bb) / 2;
        case 2:
            return circular ? im : re;
        default:
            return circular ? (aa - bb) / 2 : im;
        }
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_MEANS_H */
