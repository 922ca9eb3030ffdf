/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SIGMF_FILES_H
#define INCLUDED_FRINGE_IO_SIGMF_FILES_H

#include "io/recordings/headerless.h"
#include "io/recordings/successive.h"

namespace gr::fringe::io {

//! "x", "x.sigmf-meta" or "x.sigmf-data" -> "x"
std::string sigmf_base(const std::string& path);

//! True for the metadata, for the samples beside their metadata, for the name that both
//! have, for a collection and for an archive.
bool is_sigmf(const std::string& path, const std::vector<std::uint8_t>& start);

//! Samples of one SigMF recording (sigmf.org), [time][channel]; between captures samples may
//! be missing. `text`: its metadata, of the file `path`; `from`: the file of samples.
std::unique_ptr<recording> open_sigmf_samples(const std::string& path,
                                              const class sigmf_metadata& metadata,
                                              samples_in_file from,
                                              const recording_hints& hints);

//! A recording that is the files x.sigmf-meta and x.sigmf-data.
std::unique_ptr<recording> open_sigmf_pair(const std::string& path,
                                           const recording_hints& hints);
//! A recording that is an archive of both files, or several in one archive, which are joined
//! as those of a collection.
std::unique_ptr<recording> open_sigmf_archive(const std::string& path,
                                              const recording_hints& hints);
//! Recordings of several receivers, or parts of them, as one; `path`: for sentences.
std::unique_ptr<recording> join_sigmf(const std::string& path,
                                      std::vector<recording_part> members,
                                      const recording_hints& hints);
//! A collection: recordings of several receivers, the streams of one after those of another.
std::unique_ptr<recording> open_sigmf_collection(const std::string& path,
                                                 const recording_hints& hints);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SIGMF_FILES_H */
