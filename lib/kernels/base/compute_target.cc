/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/compute_target.h"

namespace gr::fringe::kernels {

std::string compute_target::name() const
{
    switch (kind) {
    case backend::generic:
        return "generic";
    case backend::cpu:
        return "cpu";
    default:
        return "cuda:" + std::to_string(index);
    }
}

} // namespace gr::fringe::kernels
