/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SINK_FILE_H
#define INCLUDED_FRINGE_BLOCKS_SINK_FILE_H

#include "io/visibilities/visibility_writer.h"
#include <atomic>
#include <gnuradio/logger.h>
#include <mutex>
#include <optional>

namespace gr::fringe {

/*!
 * The visibility file of a sink, through all runs of its flowgraph.
 *
 * Each run has a file of its own, so that none is lost or replaced by a later one: x.ms,
 * then x_2.ms, x_3.ms (the first number that is free), but for dated files of another second,
 * which differ by it. A run without dumps makes no file, and leaves its name to the next. Data of
 * another frequency or of an earlier time begin a new file as well.
 */
class sink_file
{
public:
    //! Opens the first run's file. Throws as io::open_visibility_file().
    sink_file(const std::string& path, const io::visibility_file_params& params);

    //! A run begins. What fails is the run's error().
    void begin_run(gr::logger& log);
    //! The file, if it has dumps, is finished, and the next dump begins a new one; `why`,
    //! words of a sentence, is in both histories.
    void begin_next(const std::string& why, gr::logger& log);
    //! The middle of the band of the files that begin from now on, in Hz.
    void tune(double frequency) { d_params.observation.center_frequency = frequency; }
    //! The name of each file has its date: a dump with `begins_file` begins one.
    bool is_dated() const { return d_params.roll_seconds > 0; }
    //! What waits to be written.
    io::visibility_files::queue waiting() const;
    //! This run has written dumps.
    bool has_dumps() const { return d_run_dumps > 0; }
    //! Hands a dump to the file; not any more after an error.
    void write(const io::dump& d, gr::logger& log);
    //! The first reason why this run's file is not whole; also logged.
    void fail(const std::string& why, gr::logger& log);
    //! The same, and nothing more is written in this run.
    void give_up(const std::string& why, gr::logger& log);
    //! A run ends: the file gets its own name, or keeps the partial one if there was an
    //! error. `notes`: lines for the end of its history.
    void end_run(const std::vector<std::string>& notes, gr::logger& log);

    //! Nothing more can be written.
    bool broken() const { return d_broken; }
    //! Dumps written in all runs.
    std::uint64_t dumps() const { return d_dumps; }
    //! Why this run's file is not whole, "" if it is.
    std::string error() const;
    //! Files of all runs that stand on the disk.
    std::vector<std::string> files() const;
    //! The name that this run's file gets.
    std::string name() const;

private:
    void abandon(gr::logger& log);
    void
    open_next(const std::string& why, const std::optional<epoch>& start, gr::logger& log);
    std::string free_name(const std::optional<epoch>& start);

    const std::string d_path;
    unsigned d_number = 1; // of the file that is written
    io::visibility_file_params d_params;
    const std::string d_history; // of the first file
    mutable std::mutex d_mutex;  // of the writer's place, names and the error
    std::unique_ptr<io::visibility_files> d_writer;
    std::string d_name; // of the run
    std::string d_next; // why the next dump begins a file; "" = it does not
    std::vector<std::string> d_earlier;
    std::string d_error;
    std::atomic<std::uint64_t> d_dumps{0};
    std::uint64_t d_run_dumps = 0;
    bool d_broken = false;
    bool d_ended = false;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SINK_FILE_H */
