/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_REQUIRE_H
#define INCLUDED_FRINGE_KERNELS_REQUIRE_H

#include <stdexcept>
#include <string>

namespace gr {
namespace fringe {
namespace kernels {

//! Throws std::invalid_argument "stage: sentence" when !good.
inline void require(const std::string& stage, bool good, const std::string& sentence)
{
    if (!good) {
        throw std::invalid_argument(stage + ": " + sentence);
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_REQUIRE_H */
