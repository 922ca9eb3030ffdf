/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_WINDOW_FILTER_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_WINDOW_FILTER_H

#include "kernels/base/aligned.h"
#include "kernels/channelizer/backends.h"
#include <array>

namespace gr::fringe::kernels {

//! Channels that follow one another as their bins do.
struct run_of_bins {
    std::size_t bin, channel, count;
};

/*!
 * The polyphase sum ahead of the transform. What orders the bins is in its coefficients,
 * (-1)^n, which moves them by half a transform; conjugated inputs of complex samples have
 * the sign of the imaginary part changed. So channel k comes out in bin k, but for an odd number of channels of
 * complex samples, where bins must be rotated.
 */
class window_filter
{
public:
    //! `apart`: where it can be, sums are stored so, see row_filter.
    window_filter(const channelizer_params& p, bool apart);

    //! What a thread needs for itself: integer rows, converted, and the sums of the windows
    //! that are made together, `stride` floats apart.
    struct workspace {
        aligned_vector<float> ring;
        aligned_vector<float> folded;
        std::size_t stride;
    };
    workspace make_workspace() const;

    //! Windows that follow one another by a row, input i's from spectrum s on, `shift` samples
    //! late. `anew`: the ones before them in this workspace are not their neighbors.
    struct windows {
        std::size_t i, s, count;
        std::ptrdiff_t shift;
        bool anew;
    };
    bool apart() const { return d_apart; }
    //! Most windows of a call.
    std::size_t together() const { return d_together; }
    //! The sums of windows' rows, what the transform takes, to the workspace. `in`: input i's
    //! samples.
    void fold(const sample_history& past,
              const windows& w,
              const std::uint8_t* in,
              workspace& space) const;

    //! Where the transform puts the channels, of whichever input.
    const std::vector<run_of_bins>& runs() const { return d_runs; }

private:
    void weigh(const std::uint8_t* row, bool conjugated, float* to) const;

    const component d_in;
    const bool d_complex;
    const unsigned d_taps;
    const bool d_apart;
    const std::size_t d_width;  //!< floats of a row
    const std::size_t d_sample; //!< bytes of a voltage
    const std::size_t d_stride; //!< floats from one row of a workspace to the next
    const std::size_t d_together;
    const std::vector<char> d_conjugate;
    //! The transform's scale in them; of real samples [conjugated].
    std::array<aligned_vector<float>, 2> d_coefficients;
    std::vector<run_of_bins> d_runs;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_WINDOW_FILTER_H */
