/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_ITEM_TURNS_H
#define INCLUDED_FRINGE_STAGES_ITEM_TURNS_H

#include <cstddef>
#include <cstdint>

namespace gr::fringe {

/*!
 * Items of samples that go to several GPUs in turn. GPU number n computes items n, n + count,
 * n + 2 count, ... A filter also needs the samples that lie right before its item.
 */
struct item_turns {
    std::size_t number = 0; //!< of the GPU
    std::size_t count = 1;  //!< of GPUs
    //! Samples before an item, and samples of an item, of every input; or rows of samples.
    std::size_t history = 0, item_samples = 1;

    //! The number of items from this one to the next one that is computed here; 0: this one.
    std::uint64_t until_own(std::uint64_t item) const
    {
        return (number + count - item % count) % count;
    }
    //! The samples at the end of an item that are needed, when so many items lie between.
    std::size_t samples_needed(std::uint64_t until_own) const
    {
        if (until_own == 0) {
            return item_samples;
        }
        const std::size_t later = (until_own - 1) * item_samples;
        const std::size_t needed = history > later ? history - later : 0;
        return needed < item_samples ? needed : item_samples;
    }
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_ITEM_TURNS_H */
