/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_SET_H
#define INCLUDED_FRINGE_IO_RECORDING_SET_H

#include "io/recordings/recording_times.h"

namespace gr::fringe::io {

/*!
 * Several files, one per receiver, read as one recording: their streams are numbered file
 * after file. Which samples belong together, and where the set begins and ends, follows from
 * recording_times; where a file has nothing its samples are missing.
 */
class FRINGE_API recording_set
{
public:
    //! inputs: of all files together, 0 = as the files say. Throws std::invalid_argument
    //! (file, field, value, what would be right) and damaged_recording.
    recording_set(const std::vector<std::string>& paths,
                  const recording_format& format,
                  std::size_t inputs,
                  const time_settings& settings);
    //! first: as in time_settings.
    recording_set(const std::vector<std::string>& paths,
                  const recording_format& format,
                  std::size_t inputs,
                  const std::vector<std::uint64_t>& first);

    //! Recordings that are open; `names`: of each, for sentences.
    recording_set(const std::vector<std::string>& names,
                  std::vector<std::unique_ptr<recording>> files,
                  const recording_format& format,
                  const time_settings& settings);

    const recording_format& format() const { return d_format; }
    const kernels::encoding& encoding() const { return *d_encoding; }
    std::size_t streams() const { return d_streams; }
    //! Sub-blocks of a block: the parts of all files.
    std::size_t parts() const { return d_parts; }
    //! Samples of every stream from the start on.
    std::uint64_t samples() const { return d_times->samples(); }
    const recording_times& times() const { return *d_times; }
    //! What the first file says.
    const recording_info& info() const { return d_files[0]->info(); }
    std::size_t files() const { return d_files.size(); }
    const recording_info& info(std::size_t file) const { return d_files[file]->info(); }
    //! Samples that all files together do not hold of the set, of each stream on average.
    std::uint64_t missing() const;

    //! Throws std::invalid_argument when a file has less than a tenth of the first `samples`
    //! samples: see refuse_gaps().
    void refuse_gaps(std::uint64_t samples) const;

    //! Reads `count` samples from sample n of the set on into a block of `block` samples.
    //! With count < block the rest is zero. What is lost is appended to `lost`. Any number
    //! of threads may read at once. Throws damaged_recording.
    void read(std::uint64_t n,
              std::size_t count,
              std::size_t block,
              std::uint8_t* out,
              std::vector<lost_samples>& lost) const;

    //! Some of the files, from number `first` on.
    struct file_range {
        std::size_t first, count;
    };
    //! The same for a part of the block, of some files: sample n of the set goes to place `at`.
    //! The rest of the block stays as it is.
    void read_piece(const file_range& files,
                    std::uint64_t n,
                    std::size_t count,
                    std::size_t at,
                    std::size_t block,
                    std::uint8_t* out,
                    std::vector<lost_samples>& lost) const;
    //! Samples around sample n that no file has; empty where one has it.
    sample_range gap_at(std::uint64_t n) const;
    //! Where blocks of `block` samples go on, the next of which would begin at sample n: there,
    //! or behind a gap of ten seconds or more, of the first `total` samples. Blocks begin at
    //! multiples of `block`.
    std::uint64_t
    behind_gap(std::uint64_t n, std::size_t block, std::uint64_t total) const;
    //! Zeroes a block from place `at` on.
    void clear_rest(std::size_t at, std::size_t block, std::uint8_t* out) const;

private:
    void
    take(const std::string& path, std::unique_ptr<recording> file, std::size_t streams);
    void place(const time_settings& settings);
    void read_file(std::size_t file,
                   std::uint64_t n,
                   std::size_t count,
                   std::size_t at,
                   std::size_t block,
                   std::uint8_t* out,
                   std::vector<lost_samples>& lost) const;

    const recording_format& d_format;
    const kernels::encoding* d_encoding = nullptr;
    std::vector<std::string> d_paths;
    std::vector<std::unique_ptr<recording>> d_files;
    std::unique_ptr<const recording_times> d_times;
    double d_rate;
    std::size_t d_streams = 0;
    std::size_t d_parts = 0;
    bool d_has_gaps = false;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_SET_H */
