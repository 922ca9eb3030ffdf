/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_SPECTRA_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_SPECTRA_H

#include "kernels/base/types.h"
#include <vector>

namespace gr::fringe::kernels {

//! Spectra in which the same cells were flagged.
struct flagged_spectra {
    std::vector<cell_run> cells; //!< in order; no two have a cell in common
    std::uint64_t spectra = 0;
    //! Where some of them were lost: those in which both inputs were valid, [baseline].
    //! Else empty.
    std::vector<std::uint64_t> valid;

    //! Those of a baseline that are missing because of a flagged cell.
    std::uint64_t of(std::size_t baseline) const
    {
        return valid.empty() ? spectra : valid[baseline];
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_SPECTRA_H */
