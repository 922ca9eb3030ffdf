/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FOUND_PULSES_H
#define INCLUDED_FRINGE_STAGES_FOUND_PULSES_H

#include "kernels/blanking/blanking.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace gr::fringe {

//! Samples of the data from `first` on, before `end`.
struct sample_range {
    std::uint64_t first, end;
};

using all_samples = std::vector<kernels::found_samples>;
using found_range = std::pair<all_samples::const_iterator, all_samples::const_iterator>;

//! What was found in a window, by its rows: the inputs, and their sum behind them.
struct found_of_window {
    std::vector<found_range> rows;

    //! Of each window.
    static std::vector<found_of_window> of(const all_samples& found,
                                           const kernels::sample_windows& windows,
                                           std::size_t inputs);
    //! Which of `count` held samples were found in the sum.
    std::vector<char> marked(std::size_t begin, std::size_t count) const;
};

//! Adds found samples, with `guard` samples before and behind each, as runs in order. `held`: the
//! number of the oldest sample that is held.
void add_runs(const found_range& found,
              std::uint64_t held,
              std::uint64_t guard,
              std::vector<sample_range>& runs);
//! The samples of a word that lie in runs in order.
std::uint64_t bits_in(const kernels::found_samples& word,
                      std::uint64_t held,
                      const std::vector<sample_range>& runs);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FOUND_PULSES_H */
