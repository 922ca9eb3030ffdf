/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/projector.h"
#include "kernels/base/aligned.h"
#include "kernels/gridder/wprojection/w_image.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

class host_projector : public projector
{
public:
    host_projector(const gridder_params& p,
                   const w_kernels& k,
                   std::unique_ptr<convolver> with)
        : d_p(p),
          d_kernels(k),
          d_convolver(std::move(with)),
          d_grid(d_convolver->grid_values())
    {
    }
    void clear() override
    {
        std::fill(d_grid.begin(), d_grid.end(), std::complex<float>());
    }
    void spread(const visibility_rows& at, const std::complex<float>* values) override
    {
        d_convolver->spread(at, values, d_grid.data());
    }
    void add_images(float* images) override
    {
        kernels::add_images(d_p, d_kernels, d_grid.data(), images);
    }
    void take_images(const float* images) override
    {
        make_grid(d_p, d_kernels, images, d_grid.data());
    }
    void gather(const visibility_rows& at, std::complex<float>* values) override
    {
        d_convolver->gather(at, d_grid.data(), values);
    }

private:
    const gridder_params d_p;
    const w_kernels& d_kernels;
    const std::unique_ptr<convolver> d_convolver;
    aligned_vector<std::complex<float>> d_grid;
};

} // namespace

std::unique_ptr<projector> make_host_projector(const gridder_params& p,
                                               const w_kernels& k,
                                               std::unique_ptr<convolver> with)
{
    return std::make_unique<host_projector>(p, k, std::move(with));
}

} // namespace gr::fringe::kernels
