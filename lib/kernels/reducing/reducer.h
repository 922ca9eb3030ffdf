/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_REDUCER_H
#define INCLUDED_FRINGE_KERNELS_REDUCER_H

#include "array/band_channels.h"
#include <complex>
#include <cstdint>
#include <gnuradio/fringe/dump_axes.h>
#include <vector>

namespace gr::fringe::kernels {

//! One dump, [channel][baseline] each. Empty flags: none is set.
struct dump_cells {
    std::vector<std::complex<float>> visibilities;
    std::vector<float> weights;
    std::vector<std::uint8_t> flags;
};

/*!
 * Makes smaller dumps of dumps, as dump_axes says.
 *
 * With w the weights (fractions of valid samples) of the N cells that become one, flagged
 * ones left out, and the channels of band_channels that the selection leaves out:
 *
 *     V = sum w V / sum w,    weight = sum w / N
 *
 * A Stokes parameter takes two products: it is missing where one of them is, and its
 * weight is 2 / (1/w_1 + 1/w_2), which goes with its noise. Nothing left: V = 0, weight
 * 0, and the flags are all those of the cells, `lost` where there were none. A cell that
 * is only selected (N = 1, one product) keeps value, weight and flags.
 */
class FRINGE_API reducer
{
public:
    explicit reducer(const dump_axes& axes);

    void reduce(const dump_cells& in, dump_cells& out);

private:
    void add_channel(const dump_cells& in, std::size_t channel);
    void finish_channel(dump_cells& out, std::size_t channel);
    void select(const dump_cells& in, dump_cells& out) const;

    const dump_axes d_axes;
    bool d_selects_only;
    array::band_channels d_left_out;         // of averages
    std::vector<std::complex<double>> d_sum; // [baseline]
    std::vector<double> d_weight;
    std::vector<std::uint8_t> d_causes;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_REDUCER_H */
