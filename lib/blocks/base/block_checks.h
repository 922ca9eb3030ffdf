/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BLOCK_CHECKS_H
#define INCLUDED_FRINGE_BLOCKS_BLOCK_CHECKS_H

#include "kernels/base/require.h"
#include <cstddef>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <stdexcept>
#include <string>

namespace gr::fringe {

//! Size of an item for an io_signature: throws std::invalid_argument when it is 0 or does
//! not fit into an int.
int item_bytes(const std::string& block, std::size_t bytes);

//! Items in the ring of an output port: GNU Radio's default (64 kB, four items at least),
//! rounded up to whole pages. An item of an awkward size makes a ring of up to 4096 items.
std::size_t ring_items(std::size_t item, std::size_t asked = 0);

//! Gives an output port a ring buffer of whole pages. GNU Radio maps a ring twice, so its
//! length is a common multiple of item and page; it would round up by itself, but with a
//! warning. `least`: items that have to fit in.
void use_whole_pages(gr::block& b,
                     int port,
                     std::size_t item_bytes,
                     std::size_t least = 0);

//! Throws std::invalid_argument unless an X-engine has this component.
void check_component(const std::string& block, const std::string& component);
//! Throws std::invalid_argument where an X-engine sends no sums of such sizes.
void check_sums(const std::string& block,
                std::size_t inputs,
                std::size_t channels,
                const std::string& component);

//! channels_per_item of a block: 0 becomes the default; throws unless it divides
//! channels.
std::size_t item_channels(const std::string& block,
                          std::size_t asked,
                          std::size_t inputs,
                          std::size_t channels);

//! The same for dumps of a number of products, which need not be all of some inputs.
FRINGE_API std::size_t product_channels(const std::string& block,
                                        std::size_t asked,
                                        std::size_t products,
                                        std::size_t channels);

//! Channels in one item of dumps of a number of products: what channels_per_item() is for all
//! products of some inputs.
std::size_t channels_per_item_of_products(std::size_t products, std::size_t channels);

//! True when the block's input has ended and everything in it was consumed, but for `taken`
//! items. GNU Radio calls work no more then, unless forecast() asks for nothing: blocks that hold
//! data back ask for input_ended() ? 0 : 1 items, so that they can flush.
bool input_ended(const gr::block& b, std::size_t port = 0, std::size_t taken = 0);
//! Spectra of a block as asked for, or where that is 0 as block_spectra() chooses them.
std::size_t item_spectra(std::size_t asked, std::size_t inputs, std::size_t channels);

//! True when nothing more will be written into the block's input.
bool input_closed(const gr::block& b, std::size_t port = 0);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BLOCK_CHECKS_H */
