/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BEAM_NULLS_H
#define INCLUDED_FRINGE_STAGES_BEAM_NULLS_H

#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * Takes directions out of the weights of beams: what is left of w hears nothing from there,
 *
 *     w' = w - sum_k e_k (e_k^H w)
 *
 * with e_k an orthonormal basis of the steering vectors of these directions, in each channel
 * and of the inputs that the beams of a polarization hear. Directions that the others span
 * already, to a thousandth, are left out. See H. L. Van Trees, "Optimum Array Processing",
 * Wiley 2002, section 3.7.
 */
class FRINGE_API beam_nulls
{
public:
    //! inputs [polarization]: those that its beams hear.
    beam_nulls(std::size_t channels, std::vector<std::vector<std::size_t>> inputs);

    //! A direction more, by its steering vectors [input][channel].
    void add(const std::vector<std::complex<float>>& steering);
    //! Of weights [polarization][channel][input].
    void take_out(std::complex<float>* weights) const;

private:
    using vector = std::vector<std::complex<double>>; // [input that is heard]

    vector& orthogonal(std::size_t cell, vector& v) const;

    const std::size_t d_channels;
    const std::vector<std::vector<std::size_t>> d_inputs;
    std::size_t d_all = 0;                    // inputs
    std::vector<std::vector<vector>> d_basis; // [polarization * channels][direction]
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BEAM_NULLS_H */
