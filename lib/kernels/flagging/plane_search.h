/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_SEARCH_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_SEARCH_H

#include "kernels/flagging/background.h"
#include "kernels/flagging/scale_invariant_rank.h"
#include "kernels/flagging/smooth.h"
#include "kernels/flagging/sum_threshold.h"
#include <memory>

namespace gr::fringe::kernels {

//! What is searched for in a plane, and the parts of noise that may be flagged with it.
struct search_params {
    std::size_t window = 64;   //!< channels of the local background
    double single_rate = 1e-3; //!< by single cells that stand out; 0 = not searched for
    double run_rate = 1e-4;    //!< by SumThreshold; 0 = not searched for
    double dilation = 0.2;     //!< eta of the scale-invariant rank operator
    bool gaps_only = false;    //!< which flags nothing beyond the ends of runs
    std::uint8_t single_bit = 0, run_bit = 0; //!< set for either
};

/*!
 * Searches one plane: takes the local background out, marks single cells that stand out,
 * takes out what is smooth and not marked, marks what SumThreshold finds, and dilates: gaps
 * are filled, and beyond the ends of runs what is more than noise. If anything was found, all
 * of it once more, with a background of the other cells.
 */
class FRINGE_API plane_search
{
public:
    //! rice: for single_rate; kept by the caller.
    plane_search(const search_params& p, const rice_thresholds& rice);
    //! The values become deviations from the background, in standard deviations. True
    //! when something was found.
    bool search(flag_plane& plane, plane_noise noise);
    //! The level of the plane searched last, in units of its spread.
    double ratio() const { return d_background.ratio(); }

private:
    bool find(flag_plane& plane);
    bool find_single(flag_plane& plane);
    bool find_runs(flag_plane& plane);
    void keep_faded_edges(const flag_plane& plane);

    const search_params d_p;
    local_background d_background;
    smooth_surface d_smooth;
    std::unique_ptr<sum_threshold> d_runs;
    scale_invariant_rank d_rank, d_gaps;
    aligned_vector<float> d_original, d_first, d_residual;
    aligned_vector<std::uint8_t> d_hit, d_inner;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_PLANE_SEARCH_H */
