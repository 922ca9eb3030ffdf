/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_KNOWN_FLAGS_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_KNOWN_FLAGS_H

#include <complex>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Flags for what is known without searching: lost cells (no weight, or a value that is no
 * number), bad inputs, bands and times that the user masks, and what an earlier search has left
 * of cells in which it found interference: those whose weight is less than `least_left` of the
 * median over the channels of their baseline. What is weaker in them than that search finds is
 * there all the same, and the rest is too little for another one.
 */
class FRINGE_API known_flags
{
public:
    //! bad: [input]; masked: [channel].
    known_flags(const std::vector<bool>& bad,
                const std::vector<std::uint8_t>& masked,
                double least_left = 0);
    //! Adds them to the flags of one dump, all [channel][baseline]. masked: the whole dump.
    void add(const std::complex<float>* visibilities,
             const float* weights,
             bool masked,
             std::uint8_t* flags) const;

    //! Adds what an earlier search has left, to a dump that has been searched: in the search
    //! these cells tell of those beside them.
    void add_left_over(const float* weights, std::uint8_t* flags) const;

private:
    const float d_least_left;
    std::vector<std::uint8_t> d_of_baseline, d_of_channel;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_KNOWN_FLAGS_H */
