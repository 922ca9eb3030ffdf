/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_PULSE_EDGES_H
#define INCLUDED_FRINGE_STAGES_PULSE_EDGES_H

#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * How far the edges of the pulses of a window reach, which a receiver's filter makes.
 *
 * Let m be the samples at the distance d from the nearest pulse of the window, and k those of them
 * whose sum over the inputs is above its middle. Of the other samples of the window the part p is
 * above it. Without edges k has the mean p m and the variance p (1 - p) m; there are edges where k
 * is more than two standard deviations above its mean, at the distance 1 or at all distances up to
 * the guard together. The guard that is needed is then the largest d for which it is, at the
 * distance d alone, or at the distances d ... guard together. 60 pulses at 6 inputs show edges of a
 * tenth of the noise.
 */
class FRINGE_API pulse_edges
{
public:
    //! With fewer pulses in a window than this their guards cost less than edges that are missed.
    static constexpr std::size_t fewest = 16;

    explicit pulse_edges(std::size_t guard) : d_guard(guard) {}

    //! pulse, above: [sample of the window], samples of pulses, and those above the middle.
    std::size_t needed(const std::vector<char>& pulse, const std::vector<char>& above);

private:
    void find_distances(const std::vector<char>& pulse);

    const std::size_t d_guard;
    std::vector<std::size_t>
        d_distances; //!< to the nearest pulse, guard + 1 where it is far
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_PULSE_EDGES_H */
