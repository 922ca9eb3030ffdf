/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include "kernels/integrator/flagged_spectra.h"
#include <complex>
#include <memory>

namespace gr::fringe::kernels {

/*!
 * Long sums of an X-engine's short ones, and the mean they make.
 *
 *     V_c,ij = (sum S_c,ij) / (n_c,ij g_i g_j),   weight_c,ij = n_c,ij / expected
 *
 * n_c,ij: spectra in which both inputs were valid, and neither was flagged in channel c;
 * g: gains in front of the requantizer.
 * Sums are kept in double (complex float32 input) or int64 (complex int32 input, exact).
 * n_c,ij = 0 gives V = 0 and weight 0. Autocorrelations V_ii have no imaginary part.
 */
struct integrator_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    bool integer = false; //!< sums of complex int32 instead of complex float32
};

class FRINGE_API integrator
{
public:
    virtual ~integrator() = default;
    //! Adds the sums of channels first ... first + count - 1, [channel][baseline].
    virtual void add(std::size_t first, std::size_t count, const void* sums) = 0;
    //! What was added is without these cells: where they are zeros, or were taken out,
    //! fewer spectra count. Missing cells are ignored.
    virtual void leave_out(const std::vector<flagged_spectra>& flagged) = 0;
    //! Writes means and weights of channels first ... first + count - 1,
    //! [channel][baseline]. valid: [baseline] spectra in which both inputs were valid, of
    //! which those count that leave_out() does not know of; expected: spectra of the dump;
    //! gains: [input] or null for 1. `weights` may be null.
    virtual void mean(std::size_t first,
                      std::size_t count,
                      const std::uint64_t* valid,
                      std::uint64_t expected,
                      const float* gains,
                      std::complex<float>* visibilities,
                      float* weights) const = 0;
    //! Forgets the sums, and what was left out.
    virtual void clear() = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<integrator> make_integrator(const compute_target& where,
                                                       const integrator_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H */
