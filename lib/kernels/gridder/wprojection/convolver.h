/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CONVOLVER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CONVOLVER_H

#include "kernels/gridder/wprojection/w_kernels.h"

namespace gr::fringe::kernels {

//! What a convolver is made for.
struct convolver_params {
    //! Values of a visibility, which lie next to each other: 1, 2 or 4.
    std::size_t polarizations = 1;
    //! See gridder_params.
    bool half_precision = false;
};

/*!
 * Visibilities to the cells of a grid and back, by the kernels of W-projection.
 *
 *     spread: G(cell, p) += sum_k K_k(cell - place_k) V_k,p phase_k
 *     gather: V_k,p = phase_k sum_cells K_k(cell - place_k) G(cell, p)
 *
 * phase_k = exp(-2 pi i w_k middle), which the kernels leave out. A visibility with w < 0 is
 * spread as its conjugate at -(u, v, w), and what is gathered for it is conjugated.
 *
 * values: [row][channel][polarization], grid: [v][u][polarization]. Rows that lie near each
 * other on the grid should follow each other. A device's convolver takes uvw, values and grid
 * in its own memory, and frequencies in the host's.
 */
class FRINGE_API convolver
{
public:
    convolver(const w_geometry& g, std::size_t polarizations)
        : d_g(g), d_polarizations(polarizations)
    {
    }
    virtual ~convolver() = default;
    convolver(const convolver&) = delete;
    convolver& operator=(const convolver&) = delete;

    virtual void spread(const visibility_rows& at,
                        const std::complex<float>* values,
                        std::complex<float>* grid) = 0;
    virtual void gather(const visibility_rows& at,
                        const std::complex<float>* grid,
                        std::complex<float>* values) = 0;

    const w_geometry& geometry() const { return d_g; }
    std::size_t polarizations() const { return d_polarizations; }
    std::size_t grid_values() const
    {
        return std::size_t(d_g.nu) * d_g.nv * d_polarizations;
    }

protected:
    const w_geometry d_g;
    const std::size_t d_polarizations;
};

//! Plain loops, sums in double. The kernels outlive it.
FRINGE_API std::unique_ptr<convolver> make_generic_convolver(const w_kernels& k,
                                                             std::size_t polarizations);
//! Vectors along a line of the grid, all cores.
FRINGE_API std::unique_ptr<convolver> make_cpu_convolver(const w_kernels& k,
                                                         std::size_t polarizations);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CONVOLVER_H */
