/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CHANNELIZER_ITEMS_H
#define INCLUDED_FRINGE_BLOCKS_CHANNELIZER_ITEMS_H

#include "blocks/ports/stream_description.h"
#include "kernels/channelizer/channelizer.h"

namespace gr::fringe {

//! Bytes of an item of voltages that a channelizer takes.
std::size_t voltage_bytes(const kernels::channelizer_params& p);
//! What these items are.
stream_fields voltage_fields(const kernels::channelizer_params& p);

//! Bytes of an item of spectra that a channelizer makes.
std::size_t spectra_bytes(const kernels::channelizer_params& p);
//! What these items are.
stream_fields spectra_fields(const kernels::channelizer_params& p);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_CHANNELIZER_ITEMS_H */
