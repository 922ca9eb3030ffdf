/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_u8()
{
    return headerless_format<kernels::decoders::u8>(
        "u8", "real, unsigned 8-bit, zero at 128, headerless [time][input]");
}

} // namespace gr::fringe::io
