/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_COMPUTE_TARGET_H
#define INCLUDED_FRINGE_KERNELS_COMPUTE_TARGET_H

#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::kernels {

//! Which implementation of a stage runs.
enum class backend { generic, cpu, cuda };

/*!
 * Where a stage computes: on the CPU, with the reference kernels (generic) or the fast ones
 * (cpu), or on one of the GPUs of this machine (cuda). It is a name only and may stand for
 * a GPU that is not there; choose_target() in lib/stages makes one from what a user wrote.
 */
struct compute_target {
    backend kind = backend::cpu;
    std::size_t index = 0; //!< the number of the GPU, 0 on a CPU

    compute_target() = default;
    compute_target(backend k, std::size_t n = 0) : kind(k), index(n) {}

    //! Returns "generic", "cpu", "cuda:0", "cuda:1", ...
    FRINGE_API std::string name() const;

    bool operator==(const compute_target& o) const
    {
        return kind == o.kind && index == o.index;
    }
    bool operator!=(const compute_target& o) const { return !(*this == o); }
    //! Code that means any GPU compares the kind.
    bool operator==(backend) const = delete;
    bool operator!=(backend) const = delete;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_COMPUTE_TARGET_H */
