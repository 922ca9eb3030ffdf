/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HEADERLESS_H
#define INCLUDED_FRINGE_IO_HEADERLESS_H

#include "io/recordings/recording.h"
#include "kernels/unpack/decoder.h"

namespace gr {
namespace fringe {
namespace io {

//! Opens a file of nothing but samples, [time][stream], whole bytes each.
std::unique_ptr<recording> open_headerless(const std::string& path,
                                           const recording_hints& hints,
                                           const kernels::encoding& encoding);

//! Opens a file of samples alike behind `header_bytes` of whatever described them, which
//! is what `info` says (encoding and streams at least). One that was cut within a sample
//! is read up to there.
std::unique_ptr<recording> open_described(const std::string& path,
                                          std::uint64_t header_bytes,
                                          const recording_info& info);

//! The format of such files whose words are as the decoder says.
template <class Decoder>
recording_format headerless_format(const char* name, const char* summary)
{
    recording_format f;
    f.name = name;
    f.summary = summary;
    f.encoding = kernels::interleaved_encoding<Decoder>();
    f.encoding.name = name;
    f.open = [](const std::string& path, const recording_hints& hints) {
        return open_headerless(path, hints, kernels::interleaved_encoding<Decoder>());
    };
    return f;
}

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_HEADERLESS_H */
