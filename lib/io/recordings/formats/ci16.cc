/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_ci16()
{
    auto f = headerless_format<kernels::decoders::ci16>(
        "ci16", "complex, signed 16-bit (USRP), headerless [time][input]");
    f.endings = {"cs16", "sc16"};
    return f;
}

} // namespace gr::fringe::io
