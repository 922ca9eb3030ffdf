/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_PLANE_IMAGES_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_PLANE_IMAGES_CUH

#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/gridder/grid_plan.h"
#include <memory>

namespace gr::fringe::kernels {

/*!
 * Between planes of the grid and images, as plane_transform does it on a CPU, for some
 * polarizations at a time. Planes: [v][u][polarization], images: [polarization][row][column].
 */
class plane_images
{
public:
    plane_images(const cuda_context& c,
                 const gridder_params& p,
                 const grid_plan& plan,
                 std::size_t polarizations);

    //! Whether this serves another plan, too: sizes and kernels are the same.
    bool serves(const grid_plan& plan, std::size_t polarizations) const;
    //! Adds plane number `number` of a plan to images. The plane is not needed any more.
    void add(const grid_plan& plan, std::size_t number, float2* plane, float* images);
    //! Makes the conjugate of a plane of images.
    void
    make(const grid_plan& plan, std::size_t number, const float* images, float2* plane);

private:
    const cuda_context& d_context;
    const gridder_params d_p;
    const grid_plan d_plan;
    const std::size_t d_polarizations;
    //! Of columns, of rows, and of n - 1.
    const cuda_array<double> d_corrections;
    const cuda_array<float2> d_lines, d_columns;
    const cufft_transform d_along_u, d_along_v;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_PLANE_IMAGES_CUH */
