/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/device.h"
#include "kernels/device/device_block.h"

namespace gr::fringe::kernels {

namespace {

class device_projector : public projector
{
public:
    device_projector(const std::shared_ptr<device>& on,
                     const w_kernels& k,
                     const gridder_params& p)
        : d_on(on),
          d_p(p),
          d_convolver(convolver_factory().make(
              {backend::cuda, on->info().index}, k, {p.polarizations, p.half_precision})),
          d_transform(transform_factory().make({backend::cuda, on->info().index}, k, p)),
          d_grid(*on, d_convolver->grid_values() * sizeof(std::complex<float>))
    {
    }

    void clear() override
    {
        const auto& g = d_convolver->geometry();
        const std::size_t line = g.nu * d_p.polarizations * sizeof(std::complex<float>);
        d_on->fill(grid(), line, 0, line, g.nv);
    }

    void spread(const visibility_rows& at, const std::complex<float>* values) override
    {
        device_block uvw(*d_on, uvw_bytes(at)), there(*d_on, value_bytes(at));
        uvw.upload(at.uvw);
        there.upload(values);
        d_convolver->spread(moved(at, uvw), there.get<std::complex<float>>(), grid());
        d_on->synchronize();
    }

    void add_images(float* images) override
    {
        device_block there(*d_on, image_bytes());
        there.upload(images);
        d_transform->add_images(grid(), there.get<float>());
        there.download(images);
    }

    void take_images(const float* images) override
    {
        device_block there(*d_on, image_bytes());
        there.upload(images);
        d_transform->make_grid(there.get<float>(), grid());
        d_on->synchronize();
    }

    void gather(const visibility_rows& at, std::complex<float>* values) override
    {
        device_block uvw(*d_on, uvw_bytes(at)), there(*d_on, value_bytes(at));
        uvw.upload(at.uvw);
        d_convolver->gather(moved(at, uvw), grid(), there.get<std::complex<float>>());
        there.download(values);
    }

private:
    std::complex<float>* grid() const { return d_grid.get<std::complex<float>>(); }
    static std::size_t uvw_bytes(const visibility_rows& at)
    {
        return 3 * at.rows * sizeof(double);
    }
    std::size_t value_bytes(const visibility_rows& at) const
    {
        return at.rows * at.channels * d_p.polarizations * sizeof(std::complex<float>);
    }
    std::size_t image_bytes() const
    {
        return d_p.columns * d_p.rows * d_p.polarizations * sizeof(float);
    }
    static visibility_rows moved(visibility_rows at, const device_block& uvw)
    {
        at.uvw = uvw.get<double>();
        return at;
    }

    const std::shared_ptr<device> d_on;
    const gridder_params d_p;
    const std::unique_ptr<convolver> d_convolver;
    const std::unique_ptr<grid_transform> d_transform;
    device_block d_grid;
};

} // namespace

device_factory<convolver, w_kernels, convolver_params>& convolver_factory()
{
    static device_factory<convolver, w_kernels, convolver_params> the_factory;
    return the_factory;
}

device_factory<grid_transform, w_kernels, gridder_params>& transform_factory()
{
    static device_factory<grid_transform, w_kernels, gridder_params> the_factory;
    return the_factory;
}

device_factory<projector, w_kernels, gridder_params>& projector_factory()
{
    static device_factory<projector, w_kernels, gridder_params> the_factory;
    return the_factory;
}

std::unique_ptr<projector> make_device_projector(const std::shared_ptr<device>& on,
                                                 const w_kernels& k,
                                                 const gridder_params& p)
{
    return std::make_unique<device_projector>(on, k, p);
}

} // namespace gr::fringe::kernels
