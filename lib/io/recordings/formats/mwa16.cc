/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_mwa16()
{
    return headerless_format<kernels::decoders::mwa16>(
        "mwa16", "complex 5 + 5 bits in a 16-bit word (MWA), headerless [time][input]");
}

} // namespace gr::fringe::io
