/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HEADERLESS_H
#define INCLUDED_FRINGE_IO_HEADERLESS_H

#include "io/recordings/input_file.h"
#include "io/recordings/recording.h"
#include "kernels/unpack/decoder.h"

namespace gr::fringe::io {

//! Opens a file of nothing but samples, [time][stream], whole bytes each.
std::unique_ptr<recording> open_headerless(const std::string& path,
                                           const recording_hints& hints,
                                           const kernels::encoding& encoding);

//! Where the samples of a file lie, and the order of their bytes.
struct samples_in_file {
    std::shared_ptr<const input_file> file;
    std::uint64_t begin = 0;               //!< byte of the first
    std::uint64_t end = ~std::uint64_t(0); //!< byte behind the last, if the file has it
    bool big_endian = false;
};

//! Opens samples alike, [time][stream], in a file that `info` describes (encoding and streams
//! at least). Those that were cut within a sample are read up to there.
std::unique_ptr<recording> open_described(const samples_in_file& from,
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

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HEADERLESS_H */
