/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_PLANE_TRANSFORM_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_PLANE_TRANSFORM_H

#include "kernels/aligned.h"
#include "kernels/channelizer/fft.h"
#include "kernels/gridder/cell_map.h"
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

class workers;

/*!
 * Between planes of the grid and the image.
 *
 * A plane is transformed along u, line by line, where it has visibilities, and only the
 * columns of the image are kept; then along v, column by column, and only its rows. Each
 * column is multiplied by exp(-2 pi i w (n - 1 - middle)) and added to the image. That phase is
 * the same for +-l and +-m, so four pixels share one.
 */
class plane_transform
{
public:
    plane_transform(const gridder_params& p,
                    const grid_plan& plan,
                    const cell_map& map,
                    workers& all);

    //! Adds a plane, complex [map.height()][map.width()], to the image. `used`: [height], 0
    //! for lines that hold nothing.
    void add(const float* plane, std::size_t number, const std::vector<char>& used);
    //! Adds the image so far, corrected for the kernel, to an image.
    void finish(float* image) const;

    //! Takes an image to make planes of, corrected for the kernel.
    void load(const float* image);
    //! Makes the conjugate of a plane of the image.
    void make(float* plane, std::size_t number, const std::vector<char>& used);

private:
    using complex = std::complex<float>;
    struct scratch {
        aligned_vector<float> in;
        aligned_vector<complex> out;
        std::vector<double> depths;   // n - 1 - middle, from the middle row on outwards
        aligned_vector<float> re, im; // the phases of a column, [row]
    };
    template <class F>
    void columns(std::size_t number, const F& column);
    void set_phases(std::size_t number, scratch& s) const;
    void find_used(const std::vector<char>& used);
    void add_line(const float* line, complex* out, scratch& s) const;
    void add_column(std::size_t column, scratch& s);
    void make_line(const complex* in, float* line, scratch& s) const;
    void make_column(std::size_t column, scratch& s);
    double correction(std::size_t row, std::size_t column) const;

    const gridder_params d_p;
    const grid_plan d_plan;
    const cell_map d_map;
    workers& d_workers;
    const transform_f32 d_along_u, d_along_v;
    std::vector<scratch> d_scratch;    // [slot]
    std::vector<double> d_u, d_v, d_w; // corrections of columns, rows, n - 1
    double d_w_entries;                // of d_w, by n - 1
    //! An odd number of cache lines, so that a column is not on few lines of the cache.
    const std::size_t d_pitch;
    aligned_vector<complex> d_lines;   // [line][column], along u transformed
    aligned_vector<float> d_image;     // [column][row]
    std::vector<std::size_t> d_places; // of these along v
    std::vector<std::size_t> d_used;   // lines that hold something
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_PLANE_TRANSFORM_H */
