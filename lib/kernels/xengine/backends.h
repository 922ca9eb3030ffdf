/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H

#include "kernels/xengine/xengine.h"

namespace gr {
namespace fringe {
namespace kernels {

//! Double or int64 sums and plain loops: what the others are compared with.
std::unique_ptr<xengine> make_generic_xengine(const xengine_params& p);
//! Complex float32: vector loops for few inputs, BLAS for many.
std::unique_ptr<xengine> make_cpu_xengine_f32(const xengine_params& p);
//! Complex int8, exact: vector loops on int16.
std::unique_ptr<xengine> make_cpu_xengine_i8(const xengine_params& p);

//! Throws std::invalid_argument for spectra outside a block.
void check_spectra(const xengine_params& p, std::size_t first, std::size_t count);
//! Throws std::invalid_argument for channels that are not there.
void check_channels(const xengine_params& p, std::size_t first, std::size_t count);
//! Throws std::overflow_error when int32 sums of so many spectra could wrap.
void check_exact(std::size_t spectra);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H */
