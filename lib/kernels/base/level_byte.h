/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_LEVEL_BYTE_H
#define INCLUDED_FRINGE_KERNELS_LEVEL_BYTE_H

#include "kernels/base/host_device.h"
#include <cstdint>

namespace gr::fringe::kernels {

/*!
 * A component that was sampled with two bits, in one byte: the numbers 0, +-1 and +-2 stand
 * for the values
 *
 *     0, +-1, +-3.3359
 *
 * The last four are the levels of least loss for Gaussian noise. Zero is no level: it is what
 * lost samples, and those before the first one, are.
 */
struct level_byte {
    std::int8_t number;

    static constexpr float outer = 3.3359f;
    //! Twice the half of a level is exactly the level.
    FRINGE_HOST_DEVICE constexpr operator float() const
    {
        const auto x = static_cast<float>(number);
        return x * (x > 1.0f || x < -1.0f ? outer / 2 : 1.0f);
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_LEVEL_BYTE_H */
