/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_JUDGED_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_JUDGED_SUMS_H

#include "blocks/rfi/short_sum.h"
#include "kernels/xengine/xengine.h"
#include <deque>
#include <memory>

namespace gr {
namespace fringe {

/*!
 * Sums that end before their window of spectra is judged, at a dump's boundary, wait here
 * until it is. Then baselines of flagged cells are set to zero in them and in the sum under
 * way.
 */
class judged_sums
{
public:
    judged_sums(std::size_t inputs, std::size_t channels);

    //! The sum waits; the kernel's sums are its values, and cleared.
    void hold(const short_sum& sum, kernels::xengine& kernel);
    bool any() const { return !d_held.empty(); }
    short_sum& first() { return d_held.front().sum; }
    void read_first(std::size_t first, std::size_t count, void* out) const;
    void forget_first();
    void forget_all() { d_held.clear(); }
    //! Of all that wait.
    std::uint64_t spectra() const;

    //! The verdict on all that was held, and on the sum under way.
    void judge(const std::vector<cell_run>& cells, short_sum& under_way);
    //! Sets the baselines that the last verdict was on to zero, in channels first ...
    //! first + count - 1 [channel][baseline].
    void drop(std::size_t first, std::size_t count, void* sums) const;
    void forget_verdict() { d_bad.clear(); }

private:
    struct held {
        short_sum sum;
        std::vector<std::uint8_t> values; // [channel][baseline]
    };

    const std::size_t d_inputs, d_channels, d_baselines;
    std::deque<held> d_held;
    std::vector<std::uint8_t> d_spare;
    std::vector<char> d_bad; // [channel][input], empty = none
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_JUDGED_SUMS_H */
