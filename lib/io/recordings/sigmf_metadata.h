/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SIGMF_METADATA_H
#define INCLUDED_FRINGE_IO_SIGMF_METADATA_H

#include "io/recordings/recording.h"

namespace gr {
namespace fringe {
namespace io {

//! A capture of a SigMF recording: from sample `in_file` of the file on its samples are
//! those from sample `time` of the recording on.
struct sigmf_segment {
    std::uint64_t time;
    std::uint64_t in_file;
};

/*!
 * What a .sigmf-meta file says. Throws std::invalid_argument for a missing file or
 * samples that cannot be read, damaged_recording for one that is not as the specification
 * says.
 */
class sigmf_metadata
{
public:
    explicit sigmf_metadata(const std::string& path);

    //! All but the number of samples.
    const recording_info& info() const { return d_info; }
    //! Bytes in front of the first sample.
    std::uint64_t header_bytes() const { return d_header_bytes; }
    //! At least one, ascending; where time grows by more than in_file, samples are
    //! missing.
    const std::vector<sigmf_segment>& segments() const { return d_segments; }

private:
    recording_info d_info;
    std::uint64_t d_header_bytes = 0;
    std::vector<sigmf_segment> d_segments;
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_SIGMF_METADATA_H */
