/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_UNPACK_H
#define INCLUDED_FRINGE_UNPACK_H

#include <gnuradio/fringe/api.h>
#include <gnuradio/sync_block.h>
#include <string>
#include <vector>

namespace gr {
namespace fringe {

/*!
 * \brief Unpacks raw sample blocks to voltages, one input after the other.
 * \ingroup fringe
 *
 * \details
 * Input: raw sample blocks of a recording format, bytes [file][time][stream],
 * `block_samples` samples of `inputs` streams.
 * Output: voltages [input][time], time running fastest; components are "i8", "i16" or
 * "f32", a complex sample is (re, im). Values are those of the format's definition:
 * integers as they stand, unsigned ones less half their range, one-bit ones +1 and -1,
 * mwa8 plus 0.5.
 *
 * Every item gives one item. Tags pass unchanged, but for `invalid`, which counts streams
 * of the recording at the input and inputs of the correlator at the output.
 *
 * Throws std::invalid_argument for an unknown format, a component that cannot hold its
 * values, no inputs, a block that is no whole number of bytes, streams that are no
 * permutation.
 */
class FRINGE_API unpack : virtual public gr::sync_block
{
public:
    typedef std::shared_ptr<unpack> sptr;

    /*!
     * \param format name of a recording format
     * \param inputs number of inputs
     * \param block_samples samples of every input in one item
     * \param component "i8", "i16", "f32", or "auto": the narrowest that is exact
     * \param files files that a raw block is made of
     * \param streams [input] place of each input in the recording; empty = in order
     * \param backend "auto", "cpu" or "generic"
     */
    static sptr make(const std::string& format,
                     std::size_t inputs,
                     std::size_t block_samples,
                     const std::string& component = "auto",
                     std::size_t files = 1,
                     const std::vector<std::size_t>& streams = {},
                     const std::string& backend = "auto");
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_UNPACK_H */
