/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_PACKED_BITS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_PACKED_BITS_H

#include "kernels/unpack/encoding.h"

namespace gr::fringe::kernels {

/*!
 * Components of 1, 2 or 4 bits, [time][stream][re, im], the first in the least
 * significant bits of a byte, as VDIF packs them. A code k of b bits stands for
 *
 *     b = 1:  -1, 1
 *     b = 2:  -3.3359, -1, 1, 3.3359 (the levels of least loss for Gaussian noise)
 *     b = 4:  k - 8
 *
 * Blocks hold whole bytes of all streams together.
 */
FRINGE_API encoding packed_bits(unsigned bits, bool is_complex);

//! Real components of 2 bits, sign in the lower one, 1 in the upper one for the greater
//! magnitude of a positive number and the lesser of a negative one, as Mark 5B packs
//! them: codes 0 ... 3 are -3.3359, 1, -1, 3.3359.
FRINGE_API encoding sign_magnitude_bits();

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_PACKED_BITS_H */
