/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_UNPACK_H
#define INCLUDED_FRINGE_UNPACK_H

#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Unpacks raw sample blocks to voltages, one input after the other.
 * \ingroup fringe
 *
 * \details
 * Input: raw sample blocks of a recording format, bytes [file][time][stream],
 * `block_samples` samples of `inputs` streams.
 * Output: voltages [input][time], time running fastest; components are "i8", "i16" or
 * "f32", a complex sample is (re, im). Values are those of the format's definition:
 * integers as they stand, unsigned ones less half their range (cu8 less 127.4), one-bit
 * ones +1 and -1, mwa8 plus 0.5. On a GPU voltages of 2 bits may also be "level": a byte
 * with 0, +-1 or +-2 for 0, +-1 or +-3.3359, a quarter of the memory of "f32".
 *
 * With `mean_blocks` the mean of each part of each input over the last `mean_blocks` items,
 * this one included, is taken out: a converter's zero, a local oscillator that leaks. Invalid
 * samples are left out of it. Components are "f32" then, and the CPU does the work.
 *
 * Every item gives one item, or on a GPU every block that is gathered of items of
 * `item_samples` samples: a block ends early with an item that has the tag `samples`, and before
 * one with rx_time, rx_rate or rx_freq. Tags pass unchanged, but for `invalid`, which counts streams
 * of the recording at the input and inputs of the correlator at the output.
 *
 * Saturated samples are counted, per input: those of which a component x has |x| >= R, R
 * the largest number that the format can say: 127 of 8 bits (127.4 of cu8), 7 of 4, 15 of
 * mwa16. They are
 * used like all others. R is where an analog-to-digital converter of as many bits clips;
 * of one with fewer (12 in a 16-bit word, say) no clipping can be seen, nor in floats. With
 * 1 or 2 bits there is no such count, as their outer levels stand for a good part of all
 * samples. Lost samples are zero, and not counted.
 *
 * Message port `losses`: a dictionary: `samples`, uint64, those of every input so far;
 * `saturated`, u64vector [input]. It is sent when something has changed, at most once a
 * second, and at the end.
 *
 * The log says when the first data came, at what rate they come, and when no data come
 * for 5 seconds, unless the source says so itself (tcp_source).
 *
 * Throws std::invalid_argument for an unknown format, a component that cannot hold its
 * values, no inputs, a block that is no whole number of bytes, streams that are no
 * permutation.
 */
class FRINGE_API unpack : virtual public gr::block
{
public:
    typedef std::shared_ptr<unpack> sptr;

    /*!
     * \param format name of a recording format
     * \param inputs number of inputs
     * \param block_samples samples of every input in one item
     * \param component "i8", "i16", "f32", or "auto": the narrowest of these that is exact;
     *        or "level", for a channelizer on a GPU
     * \param files files that a raw block is made of
     * \param streams [input] place of each input in the recording; empty = in order
     * \param backend "auto" (the first GPU that works, else the CPU), "cuda" (that GPU, or
     *        an error), "cuda:0", "cuda:1", ... (a GPU by its number), "cpu" or "generic"
     * \param mean_blocks items over which the mean goes that is taken out; 0 = it stays
     * \param item_samples samples of every input in an item at the input; 0 = block_samples.
     *        Fewer, of which block_samples is a multiple, on a GPU only
     */
    static sptr make(const std::string& format,
                     std::size_t inputs,
                     std::size_t block_samples,
                     const std::string& component = "auto",
                     std::size_t files = 1,
                     const std::vector<std::size_t>& streams = {},
                     const std::string& backend = "auto",
                     std::size_t mean_blocks = 0,
                     std::size_t item_samples = 0);

    /*!
     * One unpack for each of several GPUs that take blocks in turn: number n decodes blocks n,
     * n + count, ... All read the same input. Blocks of others come out with the tag
     * `elsewhere`, uint64, the number of blocks to the next one that is decoded here, and
     * hold voltages at their ends only, those that the spectra of that item need, too. The
     * first unpack sends the messages of all, and losses() of each are those of all.
     *
     * \param format, inputs, block_samples, files, streams, item_samples, component as of
     *        make()
     * \param backends where each decodes
     * \param kept_samples samples of every input before an item that it needs, see
     *        channelizer::kept_samples()
     */
    static std::vector<sptr> make_turns(const std::string& format,
                                        std::size_t inputs,
                                        std::size_t block_samples,
                                        std::size_t files,
                                        const std::vector<std::size_t>& streams,
                                        const std::vector<std::string>& backends,
                                        std::size_t kept_samples,
                                        std::size_t item_samples = 0,
                                        const std::string& component = "auto");

    //! Samples that are saturated, so far: cause -> [input].
    virtual std::map<std::string, std::vector<std::uint64_t>> losses() const = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_UNPACK_H */
