/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_DEVICE_H

#include "kernels/deconvolution/minor_cycle.h"
#include "kernels/device/device_factory.h"

namespace gr::fringe::kernels {

//! The minor cycle of an image in a device's memory. The point spread function that it is made
//! with is in the host's memory, and has been copied when the factory returns.
class FRINGE_API device_minor
{
public:
    virtual ~device_minor() = default;
    //! minor_cycle::run() with residual, model and use on the device. The work is done when the
    //! call returns, as the report says how it went.
    virtual minor_report run(float* residual,
                             float* model,
                             const std::uint8_t* use,
                             double gain,
                             double level,
                             std::size_t max_iterations) = 0;
};
FRINGE_API device_factory<device_minor, minor_method, image_size, const float*>&
device_minor_factory();

//! Makes a minor cycle for images in the host's memory that runs on a device. The library of
//! devices fills this table, too, because only it opens devices.
FRINGE_API device_factory<minor_cycle, minor_method, image_size, const float*>&
minor_cycle_factory();
FRINGE_API std::unique_ptr<minor_cycle>
make_minor_cycle_on(const std::shared_ptr<device>& on,
                    minor_method how,
                    const image_size& size,
                    const float* psf);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_DEVICE_H */
