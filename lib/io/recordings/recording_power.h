/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_POWER_H
#define INCLUDED_FRINGE_IO_RECORDING_POWER_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! Mean power |x|^2 of each stream of a recording over at most `samples` samples from
//! `first` on, lost ones left out, [stream]: what the gains in front of a requantizer are
//! chosen from. 0 where all are lost.
FRINGE_API std::vector<double> recording_power(const std::string& path,
                                               const std::string& format,
                                               std::size_t streams,
                                               std::uint64_t first,
                                               std::size_t samples);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_POWER_H */
