/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "kernels/unpack/decoders.h"

namespace gr::fringe::io {

recording_format format_cu8()
{
    return headerless_format<kernels::decoders::cu8>(
        "cu8",
        "complex, unsigned 8-bit, zero at 127.4 (RTL-SDR), headerless [time][input]");
}

} // namespace gr::fringe::io
