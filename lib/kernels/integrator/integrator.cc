/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/integrator/backends.h"

namespace gr::fringe::kernels {

namespace {
const std::string me = "integrator";
} // namespace

void check_channels(const integrator_params& p, std::size_t first, std::size_t count)
{
    require_range(me, "channels", first, count, p.channels);
}

void check_flagged(const integrator_params& p,
                   const std::vector<flagged_spectra>& flagged)
{
    const std::size_t products = baselines(p.inputs);
    for (const flagged_spectra& f : flagged) {
        require(me,
                f.valid.empty() || f.valid.size() == products,
                "valid spectra of " + std::to_string(f.valid.size()) +
                    " baselines beside flagged cells; there are " +
                    std::to_string(products));
    }
}

device_factory<integrator, integrator_params>& integrator_factory()
{
    static device_factory<integrator, integrator_params> the_factory;
    return the_factory;
}

std::unique_ptr<integrator> make_integrator(const compute_target& where,
                                            const integrator_params& p)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    if (where.kind == backend::cuda) {
        return integrator_factory().make(where, p);
    }
    return where.kind == backend::generic ? make_generic_integrator(p)
                                          : make_cpu_integrator(p);
}

} // namespace gr::fringe::kernels
