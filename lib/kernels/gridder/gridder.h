/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_GRIDDER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_GRIDDER_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * How visibilities become an image and an image visibilities.
 *
 *     grid:    I(l, m) += Re sum_k W_k V_k exp(-2 pi i (u_k l + v_k m + w_k (n - 1)))
 *     degrid:  V_k = sum_(l, m) I(l, m) exp(+2 pi i (u_k l + v_k m + w_k (n - 1)))
 *
 * n = sqrt(1 - l^2 - m^2). The two are adjoint to each other where all weights are 1. Pixel
 * (row r, column c) lies at l = (c - columns / 2) pixel_l and m = (r - rows / 2) pixel_m, with
 * whole divisions. Pixels with l^2 + m^2 >= 1 lie below the horizon: grid leaves them as they
 * are and degrid does not read them. Neither is normalized; an image of visibilities that are
 * all 1 is the point spread function, and its central pixel the sum of the weights.
 */
struct gridder_params {
    enum class method {
        //! FFT of an oversampled grid. The kernel is the exponential of a semicircle
        //! (Barnett, Magland, af Klinteberg 2019) in u, v and w (Arras et al. 2021, Ye et al.
        //! 2022).
        separable,
        //! FFT of a grid to which visibilities are brought by a table of kernels that hold the
        //! w-term (Cornwell, Golap, Bhatnagar 2008), for small fields: see w_kernels.
        w_projection,
        //! The sums as they stand, exact, for few visibilities and as a reference.
        direct
    };
    method how = method::separable;
    std::size_t columns = 1, rows = 1;
    double pixel_l = 0, pixel_m = 0; //!< direction cosines from a pixel to the next, > 0
    //! Rms error of the separable method, of the rms of the image: 2e-6 to 0.1.
    double epsilon = 1e-4;
    //! False leaves w out, as though all were 0: for an array in a plane that is imaged at
    //! the plane's zenith.
    bool w_term = true;
    //! Planes of visibilities and images that are handed in together.
    std::size_t polarizations = 1;

    // Of W-projection:
    //! Cells of a kernel along u and along v, even, 8 to 128; 0 = what the image and w need.
    //! The cuda backend takes powers of two.
    unsigned support = 0;
    //! Planes in w of the table; 0 = what the error needs.
    std::size_t w_planes = 0;
    //! Parabolas between neighboring kernels, which are 8 a cell: errors of 1e-3 and less.
    //! False takes the nearest one, which is quicker and leaves errors of several percent.
    bool interpolate = true;
    //! True lets a GPU's tensor cores multiply in half precision, which adds rms errors of
    //! 3e-4. They serve 4 polarizations and fields so small that a kernel is the product of
    //! one along u and one along v; all else is done in single precision.
    bool half_precision = false;
};

//! Where visibilities [row][channel] were measured. A row is a baseline at a time.
struct visibility_rows {
    std::size_t rows = 0;
    const double* uvw = nullptr; //!< meters, [row][3]
    std::size_t channels = 0;
    const double* frequencies = nullptr; //!< Hz, [channel]
};

class FRINGE_API gridder
{
public:
    explicit gridder(const gridder_params& p) : d_p(p) {}
    virtual ~gridder() = default;
    gridder(const gridder&) = delete;
    gridder& operator=(const gridder&) = delete;

    const gridder_params& params() const { return d_p; }

    /*!
     * Adds visibilities to images. data and weights: [polarization][row][channel], images:
     * [polarization][row][column]. What has no weight is not read otherwise, and neither is
     * the uvw of a row in which nothing has. Throws std::invalid_argument for uvw that are
     * not finite.
     */
    void grid(const visibility_rows& at,
              const std::complex<float>* data,
              const float* weights,
              float* images);
    //! Writes the visibilities of images; the same shapes. Those at uvw that are not finite
    //! are 0.
    void
    degrid(const visibility_rows& at, const float* images, std::complex<float>* data);

protected:
    //! All polarizations; by default one after the other.
    virtual void grid_all(const visibility_rows& at,
                          const std::complex<float>* data,
                          const float* weights,
                          float* images);
    virtual void
    degrid_all(const visibility_rows& at, const float* images, std::complex<float>* data);
    virtual void grid_one(const visibility_rows& at,
                          const std::complex<float>* data,
                          const float* weights,
                          float* image) = 0;
    virtual void degrid_one(const visibility_rows& at,
                            const float* image,
                            std::complex<float>* data) = 0;

    const gridder_params d_p;
};

//! "separable", "w_projection" or "direct"; throws std::invalid_argument.
FRINGE_API gridder_params::method gridder_method_from_name(const std::string& name);

//! Throws std::invalid_argument naming the parameter. A device has no direct sum: backend::cuda
//! is the cpu's there.
FRINGE_API std::unique_ptr<gridder> make_gridder(const compute_target& which,
                                                 const gridder_params& p);
//! The same by several targets, GPUs say, which share the rows of every call: each adds up an
//! image of its own rows, and the images are added. Within epsilon, what one of them makes.
FRINGE_API std::unique_ptr<gridder>
make_gridder(const std::vector<compute_target>& targets, const gridder_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_GRIDDER_H */
