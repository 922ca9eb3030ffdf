/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_XENGINE_PARAMS_H
#define INCLUDED_FRINGE_BLOCKS_XENGINE_PARAMS_H

#include "kernels/xengine/xengine.h"
#include <string>

namespace gr::fringe {

//! What a kernel needs to know, of the parameters of the block `xengine`. Throws
//! std::invalid_argument naming block and parameter.
kernels::xengine_params xengine_params_of(std::size_t inputs,
                                          std::size_t channels,
                                          std::size_t block_spectra,
                                          const std::string& component,
                                          std::uint64_t sum_spectra);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_XENGINE_PARAMS_H */
