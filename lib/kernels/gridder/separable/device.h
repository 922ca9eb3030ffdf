/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_DEVICE_H

#include "kernels/device/device_factory.h"
#include "kernels/gridder/grid_plan.h"

namespace gr::fringe::kernels {

/*!
 * The separable method for arrays in a device's memory: the equations and shapes of gridder,
 * with all polarizations in one call. Frequencies are in the host's memory, and have been
 * copied when a call returns.
 *
 * The plan must be made for visibilities that reach at least as far as those of the call.
 */
class FRINGE_API device_gridder
{
public:
    virtual ~device_gridder() = default;
    //! Adds visibilities to images. Rows whose uvw are not finite must have no weight.
    virtual void grid(const visibility_rows& at,
                      const grid_plan& plan,
                      const std::complex<float>* data,
                      const float* weights,
                      float* images) = 0;
    //! Writes the visibilities of images; those at uvw that are not finite are 0.
    virtual void degrid(const visibility_rows& at,
                        const grid_plan& plan,
                        const float* images,
                        std::complex<float>* data) = 0;
};
FRINGE_API device_factory<device_gridder, gridder_params>& device_gridder_factory();

//! Makes a gridder for the host's memory that computes on a device. The library of devices
//! fills this table, too, because only it opens devices.
FRINGE_API device_factory<gridder, gridder_params>& separable_factory();
FRINGE_API std::unique_ptr<gridder>
make_separable_gridder_on(const std::shared_ptr<device>& on, const gridder_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_DEVICE_H */
