/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ROLLING_WRITER_H
#define INCLUDED_FRINGE_IO_ROLLING_WRITER_H

#include "io/durable/output_target.h"
#include "io/visibilities/visibility_writer.h"
#include <functional>
#include <mutex>
#include <optional>

namespace gr::fringe::io {

/*!
 * Dumps to one file, or to a new one every `roll_seconds`.
 *
 * The files divide absolute time: one holds the dumps whose center lies in
 * [k T, (k + 1) T) since 1970-01-01 UTC, T = roll_seconds (at least 1, whole). It is
 * called by the second its first dump begins in, "x_20260612_220000.ms", and gets that name when
 * the first dump behind it comes; until then it is "x_20260612_220000.partial.ms". A dump with
 * `begins_file` begins a file, too, or the next one that begins in another second than the file.
 *
 * As long as it writes, no other process begins files of that name: the hidden file
 * ".x_YYYYMMDD_HHMMSS.ms.writing" is locked from the start, as the names that will come are
 * not known then.
 *
 * Throws std::invalid_argument for other roll_seconds, and where another process writes.
 */
class FRINGE_API rolling_writer : public visibility_files
{
public:
    using opener = std::function<std::unique_ptr<visibility_writer>(
        const std::string& path, const visibility_file_params&)>;

    rolling_writer(const std::string& path,
                   const visibility_file_params& params,
                   opener open);

    void write(const dump& d) override;
    void idle() override;
    std::uint64_t saved() const override;
    void note(const std::string& line) override;
    void finish() override;
    void abandon() override;
    std::vector<std::string> files() const override;
    std::string kept() const override;

private:
    void turn(const dump& d);
    void finish_file();
    template <class F>
    void ending(F&& f);
    void stands(const std::string& name);

    const std::string d_path;
    const visibility_file_params d_params;
    const opener d_open;
    std::optional<output_target> d_turn; // nobody else writes files of the name
    std::unique_ptr<visibility_writer> d_file;
    std::string d_name;         // of d_file
    std::uint64_t d_period = 0; // number of the period that d_file is of
    std::uint64_t d_saved = 0;  // dumps in whole files
    bool d_asked = false;       // for a new file
    bool d_lost = false;        // of d_file nobody knows what is on the disk
    mutable std::mutex d_mutex; // of what files() tells
    std::vector<std::string> d_whole;
    std::string d_current;
};

//! "dir/x.ms" -> "dir/x_20260612_220000.ms".
FRINGE_API std::string dated_path(const std::string& path, const epoch& when);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ROLLING_WRITER_H */
