/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_KURTOSIS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_KURTOSIS_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Sums of power and of squared power of every channel and input, over many spectra:
 *
 *     S1_c,i = sum_t |x_c,i[t]|^2,   S2_c,i = sum_t |x_c,i[t]|^4
 *
 * from which detector.h tells noise from interference. Spectra that are lost are zeros
 * and add nothing. Those of int8 spectra are exact up to the float32 that is read; fast sums of
 * float32 are float32: amplitudes from 1e-9 to 1e9.
 */
struct kurtosis_params {
    std::size_t inputs = 1;
    std::size_t channels = 1;
    std::size_t block_spectra = 1; //!< length of the time axis of a block
    component in = component::f32; //!< f32 or i8
    spectra_layout layout = spectra_layout::channel_major;
};

class FRINGE_API kurtosis
{
public:
    virtual ~kurtosis() = default;
    //! Adds spectra 0 ... count - 1 of a block, in its layout. The same pass copies the whole block to `copy`, unless that is null.
    virtual void add(const void* spectra, std::size_t count, void* copy) = 0;
    //! Writes the sums, [channel][input].
    virtual void read(float* s1, float* s2) const = 0;
    virtual void clear() = 0;
    //! Sets cells of blocks to zero, all spectra of them: runs that do not touch each
    //! other, in order.
    virtual void zero(const std::vector<void*>& blocks,
                      const std::vector<cell_run>& cells) = 0;
};

//! Throws std::invalid_argument naming the parameter, device_error.
FRINGE_API std::unique_ptr<kurtosis> make_kurtosis(const compute_target& where,
                                                   const kurtosis_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_KURTOSIS_H */
