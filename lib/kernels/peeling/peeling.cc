/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/peeling/peeling.h"
#include "kernels/base/require.h"
#include "kernels/base/types.h"
#include "kernels/peeling/backends.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

const std::string me = "peeling";

void check_rows(const peeling_params& p)
{
    std::vector<bool> taken(baselines(p.inputs));
    for (const auto& rows : p.hands) {
        for (const auto& row : rows) {
            require(row.product < taken.size(),
                    me,
                    "product",
                    row.product,
                    "there are " + std::to_string(taken.size()));
            require(!taken[row.product],
                    me,
                    "product",
                    row.product,
                    "it must be in one hand only");
            require(row.first < p.antennas && row.second < p.antennas,
                    me,
                    "antenna",
                    std::max(row.first, row.second),
                    "there are " + std::to_string(p.antennas));
            taken[row.product] = true;
        }
    }
}

void check(const peeling_params& p)
{
    require(p.inputs > 0, me, "inputs", p.inputs, "must be at least 1");
    require(p.sources >= 1 && p.sources <= peeling_params::max_sources,
            me,
            "sources",
            p.sources,
            "must be 1 to " + std::to_string(peeling_params::max_sources));
    require(p.antennas > 0 && p.antennas <= 65536,
            me,
            "antennas",
            p.antennas,
            "must be 1 to 65536");
    require(p.frequencies.size() == p.channels,
            me,
            "frequencies",
            p.frequencies.size(),
            "there are " + std::to_string(p.channels) + " channels");
    check_rows(p);
    std::size_t end = 0;
    for (const auto& group : p.groups) {
        require(me,
                group[0] == end && group[1] > 0 && group[1] <= p.channels - end,
                "a group begins at channel " + std::to_string(group[0]) + " and has " +
                    std::to_string(group[1]) +
                    "; groups follow each other, up to channel " +
                    std::to_string(p.channels));
        end = group[0] + group[1];
    }
    require(end == p.channels, me, "groups", end, "all channels must be in one");
}

} // namespace

device_factory<peeling, peeling_params>& peeling_factory()
{
    static device_factory<peeling, peeling_params> the_factory;
    return the_factory;
}

std::unique_ptr<peeling> make_peeling(const compute_target& which,
                                      const peeling_params& p)
{
    check(p);
    return which.kind == backend::cuda ? peeling_factory().make(which, p)
                                       : make_generic_peeling(p);
}

} // namespace gr::fringe::kernels
