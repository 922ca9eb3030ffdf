/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr {
namespace fringe {
namespace io {

recording_format format_ci8()
{
    return headerless_format<kernels::decoders::ci8>(
        "ci8", "complex, signed 8-bit, headerless [time][input]");
}

} // namespace io
} // namespace fringe
} // namespace gr
