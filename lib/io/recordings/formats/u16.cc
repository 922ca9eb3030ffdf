/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_u16()
{
    return headerless_format<kernels::decoders::u16>(
        "u16", "real, unsigned 16-bit, zero at 32768, headerless [time][input]");
}

} // namespace gr::fringe::io
