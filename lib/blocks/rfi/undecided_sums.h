/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_UNDECIDED_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_UNDECIDED_SUMS_H

#include "blocks/rfi/subintegration.h"
#include "kernels/xengine/xengine.h"
#include <deque>
#include <memory>

namespace gr::fringe {

/*!
 * Sums that end at a dump's boundary before the decision on their window of spectra wait
 * here for it. Then baselines of flagged cells are set to zero in them and in the sum under
 * way.
 */
class undecided_sums
{
public:
    undecided_sums(std::size_t inputs, std::size_t channels);

    //! Keeps the sum with the kernel's values, which are then cleared.
    void hold(const subintegration& sum, kernels::xengine& kernel);
    bool any() const { return !d_held.empty(); }
    subintegration& first() { return d_held.front().sum; }
    void read_first(std::size_t first, std::size_t count, void* out) const;
    void forget_first();
    void forget_all() { d_held.clear(); }
    //! Returns the number of spectra in all sums that wait.
    std::uint64_t spectra() const;

    //! Applies a decision to all sums that wait, and to the sum under way.
    void decide(const std::vector<cell_run>& cells, subintegration& under_way);
    //! Sets the baselines that the last decision flagged to zero, in channels first ...
    //! first + count - 1 [channel][baseline].
    void drop(std::size_t first, std::size_t count, void* sums) const;
    void forget_decision() { d_bad.clear(); }

private:
    struct held {
        subintegration sum;
        std::vector<std::uint8_t> values; // [channel][baseline]
    };

    const std::size_t d_inputs, d_channels, d_baselines;
    std::deque<held> d_held;
    std::vector<std::uint8_t> d_spare;
    std::vector<char> d_bad; // [channel][input], empty = none
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_UNDECIDED_SUMS_H */
