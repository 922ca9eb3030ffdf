/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_GROUPS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_GROUPS_H

#include "kernels/base/aligned.h"
#include "kernels/beamformer/beamformer.h"
#include "kernels/beamformer/loops.h"
#include <vector>

namespace gr::fringe::kernels {

//! [input]: a beam of the weights [channel][input] reads it in some channel.
FRINGE_API std::vector<char>
inputs_read(const std::complex<float>* weights, std::size_t channels, std::size_t inputs);

/*!
 * The weights of a beamformer as its loops read them. Beams that read the same inputs, those
 * of one polarization say, stand together, so no weight of zero is multiplied.
 */
class beam_groups
{
public:
    //! Beams that are formed side by side.
    struct group {
        std::vector<std::size_t> beams;     //!< at most beams_at_once
        std::size_t width;                  //!< beams that are formed: 1, 2 or 4
        std::vector<std::uint32_t> offsets; //!< of the inputs that they read, see loops.h
        std::size_t at; //!< of their weights, within those of a channel
    };

    explicit beam_groups(const beamformer_params& p) : d_p(p) {}

    //! Takes the weights [beam][channel][input].
    void set(const std::complex<float>* weights);

    const std::vector<group>& groups() const { return d_groups; }
    //! Inputs that some beam reads.
    const std::vector<std::size_t>& inputs() const { return d_inputs; }
    //! The weights of a group in a channel, [input read][beam of the group][re, im].
    const float* weights(const group& g, std::size_t channel) const
    {
        return d_packed.data() + channel * d_channel_values + g.at;
    }

private:
    const beamformer_params d_p;
    std::vector<group> d_groups;
    std::vector<std::size_t> d_inputs;
    std::size_t d_channel_values = 0;
    aligned_vector<float> d_packed;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_BEAM_GROUPS_H */
