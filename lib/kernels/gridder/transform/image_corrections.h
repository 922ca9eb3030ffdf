/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_IMAGE_CORRECTIONS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_IMAGE_CORRECTIONS_H

#include "kernels/gridder/grid_plan.h"
#include <vector>

namespace gr::fringe::kernels {

class workers;

/*!
 * Between an image [row][column] and the columns that are transformed: pixels are divided by
 * the transform of the kernel. Pixels below the horizon are left as they are, and not read.
 */
class image_corrections
{
public:
    image_corrections(const gridder_params& p, const grid_plan& plan, workers& all);

    //! From a column to the next: an odd number of cache lines, so that those of a row lie in
    //! different sets of the cache.
    std::size_t pitch() const { return d_pitch; }
    //! image += columns, corrected. columns: [column][pitch()], rows in front.
    void add(const float* columns, float* image) const;
    //! columns = image, corrected, 0 below the horizon.
    void take(const float* image, float* columns) const;

private:
    template <class F>
    void tiles(const F& tile) const;
    void factors_of(std::size_t row, float* factors) const;

    const gridder_params d_p;
    workers& d_workers;
    const std::size_t d_pitch;
    std::vector<float> d_u, d_v;                       // of columns, rows
    std::vector<double> d_l2;                          // [column], l squared
    std::vector<float> d_w;                            // of n - 1, from 0 on
    double d_per_entry = 0;                            // entries of d_w to n - 1
    mutable std::vector<std::vector<float>> d_factors; // [slot][row of a tile][column]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_IMAGE_CORRECTIONS_H */
