/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_SEPARABLE_TABLE_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_SEPARABLE_TABLE_H

#include "kernels/gridder/wprojection/w_kernels.h"

namespace gr::fringe::kernels {

/*!
 * The kernels of W-projection as products of one along u and one along v,
 *
 *     K_w(s, t) = k_w(s) k'_w(t) = K_w(s, 0) K_w(0, t) / K_w(0, 0).
 *
 * n - 1 is -(l^2 + m^2) / 2 and smaller terms, of which l^2 m^2 / 4 is the first that is not
 * separable: in small fields this is exact to single precision.
 */
struct FRINGE_API separable_table {
    explicit separable_table(const w_kernels& k);

    //! [plane][fraction][entry], as w_geometry counts them.
    std::vector<std::complex<float>> u, v;
    //! Rms difference to the kernels of the last plane, by their rms.
    double error = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_SEPARABLE_TABLE_H */
