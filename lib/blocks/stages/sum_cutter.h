/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SUM_CUTTER_H
#define INCLUDED_FRINGE_BLOCKS_SUM_CUTTER_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/epoch.h>
#include <optional>
#include <set>

namespace gr::fringe {

/*!
 * A block that adds up spectra for an integrator behind it. The integrator has the dump
 * length, and asks for sums that end where its dumps do.
 */
class sum_cutter
{
public:
    virtual ~sum_cutter() = default;
    //! From the next spectrum on sums also end at the boundaries of such dumps, those of
    //! the integrator with this number (exactly one of seconds and spectra is not 0). What
    //! it asked for before does not count any more. Returns when that spectrum begins,
    //! where times are known.
    virtual std::optional<epoch>
    cut_for(long integrator, double seconds, std::uint64_t spectra) = 0;
};

//! Asks all sum_cutters upstream of an integrator; `found`: there is one. `from`: when the
//! first spectrum begins that is cut as asked, where that is known.
struct cut_sums {
    bool found = false;
    std::optional<epoch> from;

    cut_sums() = default;
    cut_sums(const gr::block& integrator, double seconds, std::uint64_t spectra);
};

//! The numbers of the blocks that streams connect a sum_cutter with: an integrator that is
//! not among them is gone.
std::set<long> integrators_of(const gr::block& cutter);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SUM_CUTTER_H */
