/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_i8()
{
    return headerless_format<kernels::decoders::i8>(
        "i8", "real, signed 8-bit, headerless [time][input]");
}

} // namespace gr::fringe::io
