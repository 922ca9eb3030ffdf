/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_f32()
{
    return headerless_format<kernels::decoders::f32>(
        "f32", "real, 32-bit float, headerless [time][input]");
}

} // namespace gr::fringe::io
