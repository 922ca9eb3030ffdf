/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BLANKED_PARTS_H
#define INCLUDED_FRINGE_STAGES_BLANKED_PARTS_H

#include "stages/invalid_run.h"
#include <gnuradio/fringe/api.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

/*!
 * What blanked samples take away from spectra.
 *
 * A filter bank makes spectrum s of x[n] h[n - s N], n = s N ... s N + taps N - 1. Where
 * blanked samples are zeros (m_i[n] = 0, else 1), noise gives the product of two inputs
 *
 *     <X_i conj(X_j)> = w_ij V_ij,   w_ij(s) = sum_n h[n - s N]^2 m_i[n] m_j[n] / sum h^2
 *
 * so a sum of products is divided by the sum of w_ij, not by a number of spectra.
 */
class FRINGE_API blanked_parts
{
public:
    //! Of a filter with this prototype, see kernels::prototype. Throws std::invalid_argument.
    blanked_parts(std::size_t points, unsigned taps, const std::string& window);

    //! Parts of a spectrum (spectrum_parts) that samples first ... end - 1 of its window are.
    std::uint64_t of_window(std::int64_t first, std::int64_t end) const
    {
        return before(end) - before(first);
    }
    std::size_t points() const { return d_points; }
    std::size_t window() const { return d_before.size() - 1; }

private:
    std::uint64_t before(std::int64_t sample) const
    {
        const auto last = static_cast<std::int64_t>(window());
        return d_before[static_cast<std::size_t>(sample < 0      ? 0
                                                 : sample > last ? last
                                                                 : sample)];
    }

    const std::size_t d_points;
    std::vector<std::uint64_t> d_before; // [sample], parts of the samples before it
};

//! Of some spectra of an item: what blanked samples take away of each, for two inputs.
class FRINGE_API blanked_spectra
{
public:
    //! Spectra first ... first + count - 1. Blanked samples are counted from the begin of the
    //! window of spectrum 0; runs of one input are in order and do not touch.
    blanked_spectra(const blanked_parts& parts,
                    std::size_t inputs,
                    const std::vector<invalid_run>& blanked,
                    std::uint64_t first,
                    std::uint64_t count);

    bool none() const { return d_lists.size() == 1; }
    //! Parts of spectra that inputs i and j lose together. bad_i, bad_j: [spectrum], those that
    //! are not counted; or empty.
    std::uint64_t lost(std::size_t i,
                       std::size_t j,
                       const std::vector<char>& bad_i,
                       const std::vector<char>& bad_j);

private:
    using runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>; // (first, end)
    struct loss {
        std::uint64_t sum = 0;
        std::vector<std::uint64_t> of; // [spectrum]
    };
    const loss& loss_of(std::size_t a, std::size_t b);

    const blanked_parts& d_parts;
    const std::uint64_t d_first, d_count;
    std::vector<runs> d_lists;           // that inputs have; the first is empty
    std::vector<std::size_t> d_lists_of; // [input]
    std::map<std::pair<std::size_t, std::size_t>, loss> d_losses; // of two lists
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BLANKED_PARTS_H */
