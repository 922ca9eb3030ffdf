/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_DEVICE_H

#include "kernels/device/device_factory.h"
#include "kernels/gridder/wprojection/projector.h"

namespace gr::fringe::kernels {

//! Makes a convolver for arrays in the device's memory.
FRINGE_API device_factory<convolver, w_kernels, convolver_params>& convolver_factory();

/*!
 * The transforms between a grid of W-projection and its images, both in the device's memory,
 * with the corrections of w_kernels. Shapes as in projector.
 */
class FRINGE_API grid_transform
{
public:
    virtual ~grid_transform() = default;
    virtual void add_images(const std::complex<float>* grid, float* images) = 0;
    virtual void make_grid(const float* images, std::complex<float>* grid) = 0;
};
FRINGE_API device_factory<grid_transform, w_kernels, gridder_params>& transform_factory();

//! Makes a projector on a device. The library of devices fills this table, too, because only
//! it opens devices.
FRINGE_API device_factory<projector, w_kernels, gridder_params>& projector_factory();
//! The projector of a device: grid, sums and transforms are there.
FRINGE_API std::unique_ptr<projector> make_device_projector(
    const std::shared_ptr<device>& on, const w_kernels& k, const gridder_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_DEVICE_H */
