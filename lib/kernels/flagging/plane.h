/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_H

#include "kernels/base/aligned.h"
#include <cstddef>
#include <cstdint>

namespace gr::fringe::kernels {

/*!
 * Time x frequency of one baseline, of one station, or of the whole array, while it is
 * searched for interference: [dump][channel].
 */
struct flag_plane {
    std::size_t dumps = 0;
    std::size_t channels = 0;
    //! What is searched: deviations, in standard deviations of the noise.
    aligned_vector<float> value;
    //! 1 where the cell counts; what is lost, masked or known bad is neither used nor
    //! searched.
    aligned_vector<std::uint8_t> used;
    //! Factors for the deviations of cells that are noisier than others; empty = all 1.
    aligned_vector<float> trust;
    //! Causes found so far, bits of flags.h.
    aligned_vector<std::uint8_t> found;

    std::size_t cells() const { return dumps * channels; }
    void resize(std::size_t new_dumps, std::size_t new_channels)
    {
        dumps = new_dumps;
        channels = new_channels;
        value.assign(cells(), 0.0f);
        used.assign(cells(), 0);
        found.assign(cells(), 0);
        trust.clear();
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_H */
