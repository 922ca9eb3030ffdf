/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SIGMF_METADATA_H
#define INCLUDED_FRINGE_IO_SIGMF_METADATA_H

#include "io/recordings/json_object.h"
#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! A capture of a SigMF recording: from sample `in_file` of the file on its samples are
//! those from sample `time` of the recording on.
struct sigmf_segment {
    std::uint64_t time;
    std::uint64_t in_file;
    std::uint64_t header_bytes; //!< in front of its first sample
};

//! What the metadata of a SigMF recording (sigmf.org) say.
class sigmf_metadata
{
public:
    //! Throws std::invalid_argument for a value of a key that cannot be read, and
    //! damaged_recording. `path`: of the metadata, for sentences.
    sigmf_metadata(const std::string& path, const std::string& text);

    //! All but the number of samples.
    const recording_info& info() const { return d_info; }
    bool big_endian() const { return d_big_endian; }
    //! The name of the file of samples, beside the metadata; "" = it has theirs.
    const std::string& dataset() const { return d_dataset; }
    //! Bytes behind the last sample.
    std::uint64_t trailing_bytes() const { return d_trailing_bytes; }
    //! At least one, ascending; where time grows by more than in_file, samples are
    //! missing.
    const std::vector<sigmf_segment>& segments() const { return d_segments; }

private:
    void read_global(const std::string& path, const json_object& global);
    void read_captures(const std::string& path, const json_object& root);

    recording_info d_info;
    bool d_big_endian = false;
    std::string d_dataset;
    std::uint64_t d_trailing_bytes = 0;
    std::vector<sigmf_segment> d_segments;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SIGMF_METADATA_H */
