/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/sum_cutter.h"
#include "blocks/ports/upstream.h"

namespace gr::fringe {

cut_sums::cut_sums(const gr::block& integrator, double seconds, std::uint64_t spectra)
{
    for (const gr::block_sptr& b : upstream(integrator)) {
        if (auto* cutter = dynamic_cast<sum_cutter*>(b.get())) {
            found = true;
            const auto start = cutter->cut_for(integrator.unique_id(), seconds, spectra);
            from = start && (!from || *from < *start) ? start : from;
        }
    }
}

std::set<long> integrators_of(const gr::block& cutter)
{
    std::set<long> all;
    for (const gr::block_sptr& b : connected(cutter)) {
        all.insert(b->unique_id());
    }
    return all;
}

} // namespace gr::fringe
