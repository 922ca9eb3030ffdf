/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_cf32()
{
    auto f = headerless_format<kernels::decoders::cf32>(
        "cf32", "complex, 32-bit float (GNU Radio), headerless [time][input]");
    f.endings = {"cfile", "fc32"};
    return f;
}

} // namespace gr::fringe::io
