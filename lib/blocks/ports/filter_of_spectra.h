/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FILTER_OF_SPECTRA_H
#define INCLUDED_FRINGE_BLOCKS_FILTER_OF_SPECTRA_H

#include "blocks/ports/block_streams.h"
#include "stages/blanked_parts.h"

namespace gr::fringe {

//! How much of a spectrum blanked samples are: only the filter tells that made the spectra,
//! which their stream describes. Throws std::runtime_error where it does not.
blanked_parts filter_of_spectra(const block_streams& streams,
                                const std::string& block,
                                std::size_t channels);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_FILTER_OF_SPECTRA_H */
