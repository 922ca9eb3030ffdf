/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_PROJECTOR_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_PROJECTOR_H

#include "kernels/gridder/wprojection/convolver.h"

namespace gr::fringe::kernels {

/*!
 * W-projection with a grid of its own, wherever that lies: the visibilities and the images
 * are in the host's memory.
 *
 * values: [row][channel][polarization], images: [polarization][row][column]. Rows that lie
 * near each other on the grid should follow each other.
 */
class FRINGE_API projector
{
public:
    virtual ~projector() = default;
    //! Sets the grid to 0.
    virtual void clear() = 0;
    //! Adds visibilities to the grid.
    virtual void spread(const visibility_rows& at, const std::complex<float>* values) = 0;
    //! Adds the images of the grid, which is not needed any more, to images.
    virtual void add_images(float* images) = 0;
    //! Sets the grid to the transform of images.
    virtual void take_images(const float* images) = 0;
    //! Writes the visibilities of the grid.
    virtual void gather(const visibility_rows& at, std::complex<float>* values) = 0;
};

//! With a grid in the host's memory. The kernels outlive it.
FRINGE_API std::unique_ptr<projector> make_host_projector(
    const gridder_params& p, const w_kernels& k, std::unique_ptr<convolver> with);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_PROJECTOR_H */
