/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H

#include "kernels/types.h"
#include <complex>
#include <memory>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Long sums of an X-engine's short ones, and the mean they make.
 *
 *     V_c,ij = (sum S_c,ij) / (n_ij g_i g_j),   weight_ij = n_ij / expected
 *
 * n_ij: spectra in which both inputs were valid; g: gains in front of the requantiser.
 * Sums are kept in double (complex float32 input) or int64 (complex int32 input, exact).
 * n_ij = 0 gives V = 0 and weight 0. Autocorrelations V_ii have no imaginary part.
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
    //! Writes means and weights of channels first ... first + count - 1,
    //! [channel][baseline]. valid: [baseline] spectra that count; expected: spectra of
    //! the dump; gains: [input] or null for 1. `weights` may be null.
    virtual void mean(std::size_t first,
                      std::size_t count,
                      const std::uint64_t* valid,
                      std::uint64_t expected,
                      const float* gains,
                      std::complex<float>* visibilities,
                      float* weights) const = 0;
    virtual void clear() = 0;
};

//! Throws std::invalid_argument naming the parameter.
FRINGE_API std::unique_ptr<integrator> make_integrator(backend which,
                                                       const integrator_params& p);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_INTEGRATOR_H */
