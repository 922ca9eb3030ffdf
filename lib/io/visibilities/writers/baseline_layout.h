/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_BASELINE_LAYOUT_H
#define INCLUDED_FRINGE_IO_BASELINE_LAYOUT_H

#include <cstdint>
#include <gnuradio/fringe/observation.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * How the correlator's products (of inputs) become rows (of antenna pairs) and
 * correlations (of polarizations), as MeasurementSets and UVH5 files have them.
 *
 * A row is a pair of antennas a <= b that have inputs; it holds 1 correlation when only
 * one polarization was recorded, else 4: XX XY YX YY or RR RL LR LL, where XY is
 * <X_a conj(Y_b)>.
 */
struct FRINGE_API baseline_layout {
    struct row {
        int antenna1;
        int antenna2;
    };
    //! Where a correlation of a row comes from.
    struct product {
        bool exists = false;    //!< false: an antenna has no such polarization
        bool conjugate = false; //!< the product is that of (j, i)
        bool bad = false;       //!< one of its inputs is known to be bad
        std::size_t index = 0;  //!< product of the correlator
    };

    //! How many rows a dump has, and which its r-th is: dump::rows, empty = all.
    std::size_t count(const std::vector<std::uint32_t>& of) const
    {
        return of.empty() ? rows.size() : of.size();
    }
    std::size_t place(const std::vector<std::uint32_t>& of, std::size_t r) const
    {
        return of.empty() ? r : of[r];
    }

    std::string polarizations;     //!< one or two of X Y or R L
    std::vector<int> correlations; //!< codes of a MeasurementSet's CORR_TYPE
    std::vector<row> rows;         //!< antennas in ascending order
    std::vector<product> products; //!< [row][correlation]

    //! Throws std::invalid_argument for inputs that cannot be laid out so; `name` is the
    //! file's.
    baseline_layout(const observation& obs, const std::string& name);
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_BASELINE_LAYOUT_H */
