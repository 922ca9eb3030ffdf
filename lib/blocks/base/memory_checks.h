/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_MEMORY_CHECKS_H
#define INCLUDED_FRINGE_BLOCKS_MEMORY_CHECKS_H

#include <cstddef>
#include <string>

namespace gr::fringe {

//! Throws std::runtime_error where there is no memory for `bytes` of every baseline and channel.
void require_memory_for_sums(const std::string& block,
                             std::size_t inputs,
                             std::size_t channels,
                             double bytes);
//! The same for `bytes` of every input, channel and spectrum of a block.
void require_memory_for_spectra(const std::string& block,
                                std::size_t inputs,
                                std::size_t channels,
                                std::size_t block_spectra,
                                double bytes);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_MEMORY_CHECKS_H */
