/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_BIT_LEVELS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_BIT_LEVELS_H

#include "kernels/base/host_device.h"
#include "kernels/base/level_byte.h"
#include <type_traits>

namespace gr::fringe::kernels::bit_levels {

// The values of codes of less than a byte; see packed_bits.h. A kind is a number of bits,
// or sign_first.

//! Stands for 2 bits whose lower one is the sign.
constexpr unsigned sign_first = 0x12;
constexpr unsigned width(unsigned kind) { return kind & 15; }

template <unsigned Kind, class Out>
FRINGE_HOST_DEVICE constexpr Out level(unsigned code)
{
    if constexpr (Kind == sign_first) {
        return level<2, Out>((code & 1) << 1 | code >> 1);
    } else if constexpr (Kind == 1) {
        return code ? Out(1) : Out(-1);
    } else if constexpr (Kind == 2) {
        const level_byte byte{
            static_cast<std::int8_t>(static_cast<int>(code) - 2 + (code >= 2))};
        if constexpr (std::is_same_v<Out, level_byte>) {
            return byte;
        } else {
            return static_cast<Out>(static_cast<float>(byte));
        }
    } else {
        return static_cast<Out>(static_cast<int>(code) - (1 << (Kind - 1)));
    }
}

} // namespace gr::fringe::kernels::bit_levels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_BIT_LEVELS_H */
