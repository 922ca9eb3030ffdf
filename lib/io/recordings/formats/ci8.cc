/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_ci8()
{
    auto f = headerless_format<kernels::decoders::ci8>(
        "ci8", "complex, signed 8-bit, headerless [time][input]");
    f.endings = {"cs8", "sc8"};
    return f;
}

} // namespace gr::fringe::io
