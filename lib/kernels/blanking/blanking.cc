/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/blanking.h"
#include "kernels/base/require.h"
#include "kernels/blanking/backends.h"

namespace gr::fringe::kernels {

namespace {
const std::string me = "blanking";
} // namespace

void check_room(const blanking_params& p, std::size_t held, std::size_t samples)
{
    require(me,
            samples <= p.block_samples && samples <= p.held_samples - held,
            std::to_string(samples) + " samples more; a block has " +
                std::to_string(p.block_samples) + ", and there is room for " +
                std::to_string(p.held_samples - held));
}

void check_held(std::size_t held, std::size_t first, std::size_t count)
{
    require(me,
            first <= held && count <= held - first,
            std::to_string(count) + " samples from " + std::to_string(first) + " on; " +
                std::to_string(held) + " are held");
}

void check_runs(const blanking_params& p,
                std::size_t held,
                const std::vector<sample_run>& runs)
{
    for (const sample_run& r : runs) {
        const bool held_all = r.first <= held && r.count <= held - r.first;
        if (r.input >= p.inputs || !held_all) { // no sentence for each of many
            require(me,
                    r.input < p.inputs,
                    "input " + std::to_string(r.input) + "; there are " +
                        std::to_string(p.inputs));
            check_held(held, r.first, r.count);
        }
    }
}

void check_windows(std::size_t held, const sample_windows& w)
{
    check_held(held, w.first, w.count);
    require(me, w.window >= 1, "window is 0; it must be at least 1");
}

void check_limits(const blanking_params& p,
                  const sample_windows& w,
                  const std::vector<blanking_limits>& limits)
{
    require(me,
            limits.size() == w.windows(),
            "limits of " + std::to_string(limits.size()) + " windows; there are " +
                std::to_string(w.windows()));
    for (const blanking_limits& l : limits) {
        require(me,
                l.power.size() == p.inputs && l.scale.size() == p.inputs,
                "limits of " + std::to_string(l.power.size()) + " inputs; there are " +
                    std::to_string(p.inputs));
    }
}

device_factory<blanking, blanking_params>& blanking_factory()
{
    static device_factory<blanking, blanking_params> the_factory;
    return the_factory;
}

std::unique_ptr<blanking> make_blanking(const compute_target& where,
                                        const blanking_params& p)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.block_samples >= 1, "block_samples is 0; it must be at least 1");
    require(me,
            p.held_samples >= p.block_samples,
            "held_samples is " + std::to_string(p.held_samples) + "; a block has " +
                std::to_string(p.block_samples));
    require(me,
            p.in != component::level,
            "pulses are not seen in samples of 2 bits, whose voltages are levels");
    if (where.kind == backend::cuda) {
        return blanking_factory().make(where, p);
    }
    return where.kind == backend::generic ? make_generic_blanking(p)
                                          : make_cpu_blanking(p);
}

} // namespace gr::fringe::kernels
