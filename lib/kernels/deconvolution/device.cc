/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/device.h"
#include "kernels/device/device_block.h"

namespace gr::fringe::kernels {

namespace {

class minor_on_device : public minor_cycle
{
public:
    minor_on_device(const std::shared_ptr<device>& on,
                    minor_method how,
                    const image_size& size,
                    const float* psf)
        : minor_cycle(size),
          d_on(on),
          d_kernel(device_minor_factory().make(
              {backend::cuda, on->info().index}, how, size, psf)),
          d_residual(*on, size.pixels() * sizeof(float)),
          d_model(*on, size.pixels() * sizeof(float)),
          d_use(*on, size.pixels())
    {
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        d_residual.upload(residual);
        d_model.upload(model);
        d_use.upload(use);
        const auto report = d_kernel->run(d_residual.get<float>(),
                                          d_model.get<float>(),
                                          d_use.get<std::uint8_t>(),
                                          gain,
                                          level,
                                          max_iterations);
        d_residual.download(residual);
        d_model.download(model);
        return report;
    }

private:
    const std::shared_ptr<device> d_on;
    const std::unique_ptr<device_minor> d_kernel;
    device_block d_residual, d_model, d_use;
};

} // namespace

device_factory<device_minor, minor_method, image_size, const float*>&
device_minor_factory()
{
    static device_factory<device_minor, minor_method, image_size, const float*>
        the_factory;
    return the_factory;
}

device_factory<minor_cycle, minor_method, image_size, const float*>& minor_cycle_factory()
{
    static device_factory<minor_cycle, minor_method, image_size, const float*>
        the_factory;
    return the_factory;
}

std::unique_ptr<minor_cycle> make_minor_cycle_on(const std::shared_ptr<device>& on,
                                                 minor_method how,
                                                 const image_size& size,
                                                 const float* psf)
{
    return std::make_unique<minor_on_device>(on, how, size, psf);
}

} // namespace gr::fringe::kernels
