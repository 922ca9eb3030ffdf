/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_PLANE_TRANSFORM_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_PLANE_TRANSFORM_H

#include "kernels/base/aligned.h"
#include "kernels/channelizer/fft.h"
#include "kernels/gridder/cell_map.h"
#include "kernels/gridder/transform/image_corrections.h"
#include <vector>

namespace gr::fringe::kernels {

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
    void finish(float* image) const { d_corrections.add(d_image.data(), image); }

    //! Takes an image to make planes of, corrected for the kernel.
    void load(const float* image) { d_corrections.take(image, d_image.data()); }
    //! Makes the conjugate of a plane of the image.
    void make(float* plane, std::size_t number, const std::vector<char>& used);

private:
    using complex = std::complex<float>;
    struct scratch {
        aligned_vector<float> in;     // lines or columns, at_once of them
        aligned_vector<complex> out;  // the same
        aligned_vector<float> turns;  // of a column, from the middle row on outwards
        aligned_vector<float> re, im; // the phases of a column, [row]
    };
    complex* in(scratch& s, std::size_t lane) const;
    complex* out(scratch& s, std::size_t lane) const { return &s.out[lane * d_longest]; }
    complex* block_at(std::size_t block, std::size_t line);
    template <class F>
    void lines(const F& group);
    template <class F>
    void blocks(const F& block);
    template <class F>
    void
    columns(std::size_t block, std::size_t number, scratch& s, const F& column) const;
    void set_phases(std::size_t number, std::size_t from_middle, scratch& s) const;
    void find_used(const std::vector<char>& used);
    void add_line(const float* line, scratch& s, std::size_t lane) const;
    void add_column(std::size_t column, scratch& s, std::size_t lane);
    void make_line(float* line, scratch& s, std::size_t lane) const;
    void make_column(std::size_t column, scratch& s, std::size_t lane);

    const gridder_params d_p;
    const grid_plan d_plan;
    const cell_map d_map;
    workers& d_workers;
    const transform_f32 d_along_u, d_along_v;
    const image_corrections d_corrections;
    const std::size_t d_longest;    // complex values from a lane to the next
    const std::size_t d_blocks;     // of columns
    std::vector<scratch> d_scratch; // [slot]
    //! Along u transformed, [block][used line][column of the block]: see columns().
    aligned_vector<complex> d_lines;
    aligned_vector<float> d_image;     // [column][pitch]
    std::vector<std::size_t> d_places; // of used lines along v
    std::vector<std::size_t> d_used;   // lines that hold something
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_TRANSFORM_PLANE_TRANSFORM_H */
