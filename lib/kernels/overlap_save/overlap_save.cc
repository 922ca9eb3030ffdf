/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/overlap_save/backends.h"

namespace gr::fringe::kernels {

namespace {
const std::string me = "overlap_save";
} // namespace

device_factory<overlap_save, overlap_save_params, const std::complex<float>*>&
overlap_save_factory()
{
    static device_factory<overlap_save, overlap_save_params, const std::complex<float>*>
        the_factory;
    return the_factory;
}

void overlap_save::filter(std::size_t first,
                          std::size_t rows,
                          std::size_t beams,
                          std::size_t samples,
                          const filtered_rows<const std::complex<float>>& in,
                          const filtered_rows<std::complex<float>>& out)
{
    require_range(me, "rows", first, rows, d_p.rows);
    require(in.stride >= samples,
            me,
            "stride of the samples",
            in.stride,
            "must be " + std::to_string(samples) + " at least");
    require(out.stride >= d_p.made_of(samples),
            me,
            "stride of what is made",
            out.stride,
            "must be " + std::to_string(d_p.made_of(samples)) + " at least");
    run({first, rows, beams, samples, in, out});
}

void check_filters(const overlap_save_params& p)
{
    require(me, p.rows >= 1, "rows: 0: must be at least 1");
    require(p.points > p.past && p.points - p.past > p.future,
            me,
            "points",
            p.points,
            "must be more than " + std::to_string(p.past + p.future) +
                ", the samples that a filter takes from beside its own");
}

std::unique_ptr<overlap_save> make_overlap_save(const compute_target& where,
                                                const overlap_save_params& p,
                                                const std::complex<float>* filters)
{
    check_filters(p);
    if (where.kind == backend::cuda) {
        return overlap_save_factory().make(where, p, filters);
    }
    return where.kind == backend::generic ? make_generic_overlap_save(p, filters)
                                          : make_cpu_overlap_save(p, filters);
}

} // namespace gr::fringe::kernels
