/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_BAD_SPECTRA_H
#define INCLUDED_FRINGE_STAGES_BAD_SPECTRA_H

#include "stages/invalid_run.h"
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <vector>

namespace gr::fringe {

//! Which of the spectra first ... first + count - 1 are bad, [input]: a bit each.
class bad_spectra
{
public:
    bad_spectra(std::size_t inputs, std::uint64_t first, std::uint64_t count)
        : d_first(first),
          d_count(count),
          d_words((count + 63) / 64),
          d_bits(inputs * d_words),
          d_any(inputs)
    {
    }
    //! Those of some runs.
    bad_spectra(std::size_t inputs,
                std::uint64_t first,
                std::uint64_t count,
                const std::vector<invalid_run>& runs)
        : bad_spectra(inputs, first, count)
    {
        for (const invalid_run& r : runs) {
            set(r.input, r.first, r.count);
        }
    }

    //! Spectra `first` ... `first` + `count` - 1 of an input are bad; those that are not among
    //! these, and other inputs, are left out.
    void set(std::size_t input, std::uint64_t first, std::uint64_t count)
    {
        const std::uint64_t end = std::min(first + count, d_first + d_count);
        for (std::uint64_t t = std::max(first, d_first); input < d_any.size() && t < end;
             ++t) {
            const std::uint64_t bit = t - d_first;
            d_bits[input * d_words + bit / 64] |= std::uint64_t(1) << bit % 64;
            d_any[input] = 1;
        }
    }
    //! Sets what was lost of the inputs, in whatever channels.
    void set(const lost_spectra& lost)
    {
        const std::size_t end = std::min(lost.input + lost.inputs, d_any.size());
        for (std::size_t i = lost.input; i < end; ++i) {
            set(i, lost.first, lost.count);
        }
    }
    bool none() const { return std::find(d_any.begin(), d_any.end(), 1) == d_any.end(); }
    bool any(std::size_t input) const { return d_any[input]; }
    std::uint64_t count(std::size_t input) const
    {
        std::uint64_t bad = 0;
        for (std::size_t n = 0; any(input) && n < d_words; ++n) {
            bad += std::bitset<64>(word(input, n)).count();
        }
        return bad;
    }
    std::size_t words() const { return d_words; }
    //! 64 of them, the first in the lowest bit.
    std::uint64_t word(std::size_t input, std::size_t n) const
    {
        return d_bits[input * d_words + n];
    }

private:
    const std::uint64_t d_first, d_count;
    const std::size_t d_words;
    std::vector<std::uint64_t> d_bits;
    std::vector<char> d_any;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_BAD_SPECTRA_H */
