/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DUMP_CUTS_H
#define INCLUDED_FRINGE_ARRAY_DUMP_CUTS_H

#include "array/dump_clock.h"
#include <map>
#include <set>

namespace gr::fringe::array {

/*!
 * Where sums of spectra must end: at the boundaries of the dumps of each integrator that
 * adds them up further. Each integrator has a number.
 */
class FRINGE_API dump_cuts
{
public:
    //! The dumps of integrator `who` have this length; by spectra, they are counted from
    //! spectrum n on. False when they had it already. Throws std::invalid_argument.
    bool set(long who, double seconds, std::uint64_t spectra, std::uint64_t n);
    void forget(long who) { d_clocks.erase(who); }
    //! All other integrators are gone.
    void keep(const std::set<long>& these);

    bool empty() const { return d_clocks.empty(); }
    //! The dumps of one of them; only when not empty().
    const dump_clock& any() const { return d_clocks.begin()->second; }
    //! Where a sum that begins with spectrum n must end, at the latest with `maximum` spectra:
    //! the first one behind it. A length in seconds counts when `t` has started.
    std::uint64_t end(const timeline& t, std::uint64_t n, std::uint64_t maximum) const;

private:
    std::map<long, dump_clock> d_clocks;
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_DUMP_CUTS_H */
