/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FLAGGED_COUNTS_H
#define INCLUDED_FRINGE_BLOCKS_FLAGGED_COUNTS_H

#include "blocks/stream_tags.h"
#include <vector>

namespace gr {
namespace fringe {

/*!
 * Spectra that are missing in single channels because cells of theirs were flagged, per
 * channel and baseline, exactly. Channels without any cost nothing.
 */
class flagged_counts
{
public:
    flagged_counts(std::size_t inputs, std::size_t channels);

    //! The cells were flagged in `spectra` more spectra. Those of them that are missing
    //! on a baseline in any case, `invalid` [baseline] or empty, are not counted again.
    void add(const std::vector<cell_run>& cells,
             std::uint64_t spectra,
             const std::vector<std::uint64_t>& invalid);
    //! Counts as records() has them.
    void add(const std::vector<std::uint32_t>& records);
    void clear();

    //! [baseline] of a channel, null when nothing is flagged there.
    const std::vector<std::uint32_t>* of(std::size_t channel) const
    {
        return d_counts[channel].empty() ? nullptr : &d_counts[channel];
    }
    //! Of channels first ... first + count - 1 that have any: channel, then [baseline].
    std::vector<std::uint32_t> records(std::size_t first, std::size_t count);

private:
    void settle();
    void add_channel(std::size_t channel, std::uint64_t spectra);

    const std::size_t d_inputs;
    const std::size_t d_baselines;
    //! Most items have the cells of the item before: they are counted together.
    std::vector<cell_run> d_cells;
    std::uint64_t d_spectra = 0;
    std::vector<std::uint64_t> d_invalid;
    std::vector<char> d_bad;                          // [input] of a channel
    std::vector<std::vector<std::uint32_t>> d_counts; // [channel][baseline] or empty
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_FLAGGED_COUNTS_H */
