/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CHANNELIZER_PARAMS_H
#define INCLUDED_FRINGE_BLOCKS_CHANNELIZER_PARAMS_H

#include "kernels/channelizer/channelizer.h"
#include <gnuradio/fringe/tracking.h>
#include <string>
#include <vector>

namespace gr::fringe {

//! What a kernel needs to know, of the parameters of the block `channelizer`. Throws
//! std::invalid_argument naming block and parameter.
kernels::channelizer_params
channelizer_params_of(std::size_t inputs,
                      std::size_t channels,
                      std::size_t block_spectra,
                      bool complex_samples,
                      const std::string& component,
                      unsigned taps,
                      const std::string& window,
                      const std::string& requantize,
                      const std::vector<float>& gains,
                      const std::vector<bool>& conjugate,
                      const std::vector<std::complex<float>>& corrections,
                      const tracking::sptr& towards);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_CHANNELIZER_PARAMS_H */
