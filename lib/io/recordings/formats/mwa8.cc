/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_mwa8()
{
    return headerless_format<kernels::decoders::mwa8>(
        "mwa8",
        "complex 4 + 4 bits in a byte, each + 0.5 (MWA), headerless [time][input]");
}

} // namespace gr::fringe::io
