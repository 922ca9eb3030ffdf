/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RFI_SETTINGS_H
#define INCLUDED_FRINGE_BLOCKS_RFI_SETTINGS_H

#include "kernels/flagging/rfi_detector.h"
#include "kernels/flagging/user_mask.h"
#include <gnuradio/fringe/observation.h>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

//! What the rfi_flagger was asked for, checked part by part: everything throws
//! std::invalid_argument.
struct rfi_settings {
    kernels::rfi_params params;
    std::size_t window = 0, hop = 0; //!< dumps
    double least_left = 0;           //!< see kernels::known_flags
    std::vector<bool> bad;           //!< [input]
    std::vector<std::uint8_t> masked_channels;
    kernels::user_mask mask;

    void set_observation(const observation& obs, std::size_t channels);
    void set_window(std::size_t dumps, std::size_t hop, std::size_t background_channels);
    void set_detectors(const std::vector<std::string>& names, double rate);
    void set_least_left(double part);
    void set_masks(const observation& obs,
                   bool complex_samples,
                   const std::vector<std::pair<double, double>>& bands,
                   const std::vector<std::pair<std::string, std::string>>& times);
    //! Refuses what takes more, and says what would fit.
    void check_memory(double maximum) const;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RFI_SETTINGS_H */
