/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SPACE_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SPACE_H

#include "kernels/deconvolution/active_pixels.h"
#include "kernels/deconvolution/convolution.h"
#include "kernels/deconvolution/joint_minor.h"
#include "kernels/deconvolution/scale_shape.h"

namespace gr::fringe::kernels {

//! Images convolved with the shapes of scales, and the responses to components of these shapes.
class scale_space
{
public:
    //! The middle of the responses psf_i * h_k * h_k to a component, or the whole of it.
    struct patch : image_response {
        //! The highest sidelobe of the mean outside of it, by the mean's response.
        float outside = 0;
    };

    scale_space(const joint_params& params, const image_size& size, const float* psf);

    std::size_t images() const { return d_weights.size(); }
    std::size_t scales() const { return d_shapes.size(); }
    float weight(std::size_t image) const { return d_weights[image]; }
    //! s_k by the value of the mean image on a scale.
    float factor(std::size_t scale) const { return d_factors[scale]; }
    float response(std::size_t scale, std::size_t image) const
    {
        return d_responses[scale * images() + image];
    }
    const patch& middle(std::size_t scale) const { return d_patches[scale]; }
    //! Keeps of the middles what is outside of them, not their values.
    void forget_middles();
    bool is_point(std::size_t scale) const { return d_shapes[scale].diameter == 0; }

    bool has_shapes() const { return !d_only_points; }

    std::size_t planes() const { return d_planes; }
    //! The mean of the images of a plane.
    const float* mean(const float* images, std::size_t plane = 0);
    //! Of the images of a plane in its mean, [plane][image].
    std::vector<float> weights_of_planes() const;
    //! h_k * mean of each scale, [scale][pixel]; nothing is written for a point.
    void mean_on_scales(const float* mean, std::vector<std::vector<float>>& to) const;
    //! h_k * R_i, [image][pixel].
    void on_scale(std::size_t scale, const float* images, float* to) const;
    //! Subtracts psf_i * h_k * components from the images.
    void subtract(std::size_t scale, const float* components, float* images) const;
    //! Adds the shape of the components at some pixels to the model.
    void draw(std::size_t scale,
              const std::vector<std::size_t>& pixels,
              const float* components,
              float* model) const;

private:
    void find_responses(const float* psf);
    void respond(const float* response, std::size_t scale, std::size_t image);
    void find_outside(std::size_t scale);

    const image_size d_size;
    const std::size_t d_planes;
    std::vector<float>
        d_weights; // their sum is 1, that of each plane the same part of it
    std::vector<scale_shape> d_shapes;
    const bool d_only_points;
    std::unique_ptr<image_convolution> d_convolution;
    std::vector<image_convolution::kernel> d_psf;    // [image]
    std::vector<image_convolution::kernel> d_kernel; // [scale], none of a point
    std::vector<float> d_factors, d_responses;
    std::vector<patch> d_patches;
    std::vector<std::vector<float>> d_means; // of the responses [scale][row][column]
    std::vector<float> d_mean;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SPACE_H */
