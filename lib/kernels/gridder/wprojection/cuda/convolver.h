/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CONVOLVER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CONVOLVER_H

#include "kernels/cuda/context.h"
#include "kernels/gridder/wprojection/convolver.h"

namespace gr::fringe::kernels {

//! With a count of the updates of cells that reach the GPU's memory.
class counted_convolver : public convolver
{
public:
    using convolver::convolver;
    //! From now on spread() adds to the count at `updates`, in the GPU's memory; null: not.
    virtual void count_updates(unsigned long long* updates) = 0;
};

//! Supports of 8, 16, 32, 64 and 128; else it throws device_error.
std::unique_ptr<counted_convolver>
make_cuda_convolver(const cuda_context& c, const w_kernels& k, std::size_t polarizations);

//! Rms error that kernels may have as products of one along u and one along v.
constexpr double largest_separable_error = 3e-4;
//! The same on tensor cores, in half precision: rms errors of 3e-4. Null where it cannot be: it
//! wants compute capability 7.5, 4 polarizations and kernels that are products.
std::unique_ptr<counted_convolver> make_tensor_convolver(const cuda_context& c,
                                                         const w_kernels& k,
                                                         std::size_t polarizations);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CONVOLVER_H */
