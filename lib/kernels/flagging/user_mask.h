/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_USER_MASK_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_USER_MASK_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <utility>
#include <vector>

namespace gr::fringe::kernels {

//! Bands in Hz and times that the user does not want: (from, to).
struct user_mask {
    std::vector<std::pair<double, double>> bands;
    std::vector<std::pair<epoch, epoch>> times;
};

//! 1 for each channel of which any part lies in a band, [channel]. frequencies: middles of
//! the channels, Hz, ascending.
FRINGE_API std::vector<std::uint8_t>
masked_channels(const user_mask& mask, const std::vector<double>& frequencies);
//! True when any part of the time from `start`, `seconds` long, is masked.
FRINGE_API bool masked_time(const user_mask& mask, const epoch& start, double seconds);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_USER_MASK_H */
