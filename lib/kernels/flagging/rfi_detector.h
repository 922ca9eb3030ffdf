/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_RFI_DETECTOR_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_RFI_DETECTOR_H

#include "kernels/base/workers.h"
#include "kernels/flagging/plane_search.h"
#include "kernels/flagging/power_sum.h"
#include "kernels/flagging/weight_levels.h"
#include <complex>

namespace gr::fringe::kernels {

struct rfi_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    std::vector<std::size_t> stations; //!< [input]: which station it is of; {} = its own
    double rate = 1e-3;      //!< part of the cells of pure noise that is flagged
    std::size_t window = 64; //!< channels of the local background
    bool median = true, threshold = true, power = true; //!< what is searched for
};

//! Dumps that are searched together, in the order of time.
struct rfi_window {
    std::vector<const std::complex<float>*>
        visibilities;                  //!< [dump] of [channel][baseline]
    std::vector<const float*> weights; //!< the same
    std::vector<double> seconds;       //!< [dump]: how long it is
    //! [dump] of [channel][baseline], bits of flags.h: cells that are lost, masked,
    //! blanked or of a bad input are neither used nor searched; what is found is added.
    std::vector<std::uint8_t*> flags;
    //! Dumps before this one were searched already: they are background only.
    std::size_t first_new = 0;
};

/*!
 * Interference in a window of dumps: each baseline is searched, then each station and the
 * array as a whole (power_sum). The false-alarm rate is shared among them.
 *
 * A baseline is searched in |V|^(2/3) (an autocorrelation in its cube root), which noise
 * with any source in it makes nearly normal. A cell with less weight than usual is noisier:
 * weight_levels says what it would be with the usual one; a power's deviation is taken times
 * the root of the weight.
 */
class FRINGE_API rfi_detector
{
public:
    //! Throws std::invalid_argument.
    explicit rfi_detector(const rfi_params& p);
    void detect(const rfi_window& window);

    //! Memory in bytes that searching this number of dumps takes besides the dumps themselves.
    static std::size_t working_memory(const rfi_params& p, std::size_t dumps);

private:
    struct helper; // what a thread needs
    void search_group(const rfi_window& w, std::size_t group, helper& h);
    bool search_power(std::size_t dumps);
    void mark(const rfi_window& w, std::size_t dump);
    search_params shares(double single, double run, std::uint8_t s, std::uint8_t r) const;

    const rfi_params d_p;
    const std::size_t d_baselines;
    std::vector<std::pair<std::size_t, std::size_t>> d_pairs; // stations of a baseline
    std::size_t d_stations = 0;
    search_params d_of_baseline, d_of_station, d_of_array;
    std::unique_ptr<rice_thresholds> d_rice;
    std::unique_ptr<weight_levels> d_levels; // its table is copied for each thread
    const power_scores d_scores;
    std::vector<std::shared_ptr<helper>> d_helpers;
    // Found in the whole array's, and in each station's power.
    flag_plane d_array;
    std::vector<flag_plane> d_station;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_RFI_DETECTOR_H */
