/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_SET_H
#define INCLUDED_FRINGE_IO_RECORDING_SET_H

#include "io/recording.h"

namespace gr {
namespace fringe {
namespace io {

/*!
 * Several files, one per receiver, read as one recording: their streams are numbered file
 * after file, and sample n of the set is sample n after each file's own start.
 */
class FRINGE_API recording_set
{
public:
    //! inputs: of all files together, 0 = as the files say; first: first sample of each
    //! file, or one for all. Throws std::invalid_argument (file, field, value, what would
    //! be right) and damaged_recording.
    recording_set(const std::vector<std::string>& paths,
                  const recording_format& format,
                  std::size_t inputs,
                  const std::vector<std::uint64_t>& first);

    const recording_format& format() const { return d_format; }
    const kernels::encoding& encoding() const { return *d_encoding; }
    std::size_t streams() const { return d_streams; }
    //! Sub-blocks of a block: the parts of all files.
    std::size_t parts() const { return d_parts; }
    //! Samples of every stream from the start on.
    std::uint64_t samples() const { return d_samples; }
    //! What the first file says; the others are taken as simultaneous.
    const recording_info& info() const { return d_files[0].recording->info(); }
    std::uint64_t first_sample() const { return d_files[0].first; }

    //! Reads `count` samples from sample n of the set on into a block of `block` samples.
    //! With count < block the rest is zero. What is lost is appended to `lost`.
    void read(std::uint64_t n,
              std::size_t count,
              std::size_t block,
              std::uint8_t* out,
              std::vector<lost_samples>& lost);

    //! Has the system fetch a whole block. True where all of it is there and nothing can be
    //! lost: what read() has left to do is to copy it, which it does for any number of
    //! threads at once.
    bool begin_read(std::uint64_t n, std::size_t block) const;

private:
    struct opened_file {
        std::unique_ptr<fringe::io::recording> recording;
        std::uint64_t first;
    };

    void open(const std::string& path, std::size_t streams, std::uint64_t first);

    const recording_format& d_format;
    const kernels::encoding* d_encoding = nullptr;
    std::vector<opened_file> d_files;
    std::size_t d_streams = 0;
    std::size_t d_parts = 0;
    std::uint64_t d_samples = ~std::uint64_t(0);
    std::vector<std::uint8_t> d_short_block;
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_RECORDING_SET_H */
