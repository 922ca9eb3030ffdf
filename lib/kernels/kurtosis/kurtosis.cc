/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/kurtosis.h"
#include "kernels/kurtosis/backends.h"
#include "kernels/require.h"

namespace gr {
namespace fringe {
namespace kernels {

namespace {
const std::string me = "kurtosis";
} // namespace

void check_spectra(const kurtosis_params& p, std::size_t count)
{
    require(me,
            count <= p.block_spectra,
            std::to_string(count) + " spectra of a block of " +
                std::to_string(p.block_spectra));
}

std::unique_ptr<kurtosis> make_kurtosis(backend which, const kurtosis_params& p)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    require(me, p.block_spectra >= 1, "block_spectra is 0; it must be at least 1");
    require(me,
            p.in == component::f32 || p.in == component::i8,
            "in is i16; it must be f32 or i8");
    return which == backend::generic ? make_generic_kurtosis(p) : make_cpu_kurtosis(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
