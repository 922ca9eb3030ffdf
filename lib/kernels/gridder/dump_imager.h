/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_DUMP_IMAGER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_DUMP_IMAGER_H

#include "kernels/device/device_factory.h"
#include "kernels/gridder/gridder.h"
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * What the visibilities of a plane, a Stokes parameter or a hand, are made of: one product of
 * inputs, or two.
 *
 * Two products a and b, with weights, make (factor_a a + factor_b b) / 2 where both have
 * weight, with 4 w_a w_b / (w_a + w_b); or, where `mean`, their mean by weight.
 */
struct image_plane {
    struct part {
        std::vector<std::int32_t> products;   //!< [row]; -1 = no product
        std::vector<std::uint8_t> conjugated; //!< [row]; not 0 = its conjugate is taken
        std::complex<float> factor = 1;
    };
    std::vector<part> parts; //!< one or two
    bool mean = false;
};

struct dump_imager_params {
    //! Its polarizations are the planes, 1, 2 or 4, and its method is separable.
    gridder_params image;
    std::size_t inputs = 0, channels = 0, antennas = 0;
    std::vector<std::array<std::uint32_t, 2>> rows; //!< the antennas of each baseline
    std::vector<image_plane> planes;
    //! First channel and number of channels of each image, in order, without overlap.
    std::vector<std::array<std::size_t, 2>> groups;
    std::vector<double> frequencies; //!< Hz, [channel]
};

//! Where the antennas of a dump are.
struct dump_geometry {
    std::vector<double> uvw; //!< meters, [antenna][3]; rows are differences
    //! What visibilities are multiplied by, [channel][antenna]; the conjugate for the second.
    std::vector<std::complex<float>> turns;
    //! The direction of the zenith in (l, m, n): what is lower than 90 degrees from it is
    //! hidden. (0, 0, 1) where it is not known.
    std::array<double, 3> up{0, 0, 1};
    std::vector<std::uint8_t>
        left_out; //!< [channel]: not 0 = has no weight; may be empty
};

//! What an image of a dump is of.
struct dump_weights {
    std::vector<double> total;      //!< [plane][group]
    std::uint64_t visibilities = 0; //!< that have weight, of all planes
};

/*!
 * Images of dumps, natural weights.
 *
 *     I(l, m) = sum W Re{V exp(-2 pi i (u l + v m + w (n - 1)))} / sum W
 *
 * [plane][group][row][column]; not a number below the horizon. l = 0 is in column
 * (columns - 1) / 2, m = 0 in row rows / 2: with east to the left, both are where WSClean, CASA
 * and MIRIAD have them. fringe.gridder has l = 0 in column columns / 2, so it is given u and l
 * with the other sign. On a device visibilities,
 * weights and images are in the device's memory. What reads visibilities is enqueued in the
 * stream `compute`, what makes images in `background`: other stages do not wait for it.
 */
class FRINGE_API dump_imager
{
public:
    virtual ~dump_imager() = default;
    //! A dump begins.
    virtual void begin(const dump_geometry& g) = 0;
    //! Takes channels `first` to `first + count` of it: visibilities and weights
    //! [channel][product]. weights: null = 1.
    virtual void take(std::size_t first,
                      std::size_t count,
                      const std::complex<float>* visibilities,
                      const float* weights) = 0;
    //! Makes the images. On a device they are there once weights() has returned.
    virtual void finish(float* images) = 0;
    //! Of the last dump. Waits for its images.
    virtual dump_weights weights() = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<dump_imager> make_dump_imager(const compute_target& which,
                                                         const dump_imager_params& p);
FRINGE_API device_factory<dump_imager, dump_imager_params>& dump_imager_factory();

//! uvw [row][3] of those of antennas.
FRINGE_API std::vector<double> row_places(const dump_imager_params& p,
                                          const dump_geometry& g);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_DUMP_IMAGER_H */
