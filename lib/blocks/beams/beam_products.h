/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BEAM_PRODUCTS_H
#define INCLUDED_FRINGE_BLOCKS_BEAM_PRODUCTS_H

#include "kernels/beamformer/beamformer.h"
#include "stages/beam_losses.h"
#include <string>

namespace gr::fringe {

//! What a beamformer sends. A new product is a row of the table in beam_products.cc.
enum class beam_product { voltages, power, incoherent, cross, stokes };

//! Throws std::invalid_argument for a word that is none.
beam_product beam_product_of(const std::string& word);

//! Means of the products of beams, from the sums of a kernel.
class beam_means
{
public:
    //! polarizations: of the array, "XY" say. Throws std::invalid_argument where these do not
    //! have the product.
    beam_means(beam_product product,
               const std::string& polarizations,
               std::size_t beams,
               std::size_t channels,
               std::size_t average);

    //! Sets what the kernel has to sum up.
    void ask(kernels::beamformer_params& p) const;
    std::size_t channels() const { return d_channels / d_average; }
    //! Values of an item.
    std::size_t values() const;
    std::size_t weights() const { return d_beams * channels(); }

    //! Writes the means of the sums of a kernel, and, unless null, the weights, where the
    //! kernel writes.
    void
    write(kernels::beamformer& sums, const beam_losses& of, float* means, float* weights);

private:
    kernels::beam_mean what() const;

    const beam_product d_product;
    const bool d_circular;
    const std::size_t d_beams, d_channels, d_average;
    std::vector<float> d_scales, d_weights; // [beam][channel]
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BEAM_PRODUCTS_H */
