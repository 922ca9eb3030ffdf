/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_ES_KERNEL_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_ES_KERNEL_H

#include <array>
#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

/*!
 * The exponential of a semicircle, phi(t) = exp(b W (sqrt(1 - (2 t / W)^2) - 1)) for
 * |t| <= W / 2 cells, else 0.
 *
 * Spread to the cells around x and transformed, it stands for a wave of x cells:
 * sum_k phi(x - k) exp(-2 pi i k s) = phi^(s) exp(-2 pi i x s), up to an error that aliases
 * make, for |s| <= 1 / (2 oversampling).
 */
class FRINGE_API es_kernel
{
public:
    //! Cells beside each other that the fast loops have vectors for.
    static constexpr unsigned max_support = 8;

    //! The narrowest kernel whose rms error over the image is at most `error`; widest
    //! otherwise, see reached().
    es_kernel(double error, double oversampling);

    unsigned support() const { return d_support; } //!< W
    bool reached() const { return d_reached; }
    double operator()(double t) const; //!< phi(t)
    double transform(double s) const;  //!< phi^(s)
    bool operator==(const es_kernel& other) const
    {
        return d_support == other.d_support && d_shape == other.d_shape;
    }

private:
    static constexpr int points = 48; // of the sum that is the transform

    void search(double error, double oversampling);
    void set_shape(double shape);
    double misfit(double oversampling) const;

    unsigned d_support;
    double d_shape; // b W
    bool d_reached;
    std::array<double, points> d_heights, d_places;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_ES_KERNEL_H */
