/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/sink_file.h"
#include "io/visibilities/rolling_writer.h"
#include <algorithm>
#include <filesystem>

namespace gr::fringe {

namespace fs = std::filesystem;

namespace {

// "dir/x.ms" -> "dir/x_2.ms".
std::string numbered(const std::string& path, unsigned number)
{
    const fs::path p = path;
    auto name = p.stem();
    name += "_" + std::to_string(number);
    name += p.extension();
    return p.parent_path() / name;
}

bool stands(const std::string& path)
{
    return fs::exists(fs::symlink_status(path)) ||
           fs::exists(fs::symlink_status(io::partial_path(path)));
}

} // namespace

sink_file::sink_file(const std::string& path, const io::visibility_file_params& params)
    : d_path(path),
      d_params(params),
      d_history(params.history),
      d_writer(io::open_visibility_file(path, params)),
      d_name(path)
{
}

// A number is used once: files of parts of the time have other names than what it stands in.
std::string sink_file::free_name(const std::optional<epoch>& start)
{
    if (is_dated() && start && !stands(io::dated_path(d_path, {start->seconds, 0}))) {
        return d_path;
    }
    do {
        ++d_number;
    } while (stands(numbered(d_path, d_number)));
    return numbered(d_path, d_number);
}

void sink_file::begin_run(gr::logger& log)
{
    if (!d_ended) { // the first run, with the file of the constructor
        return;
    }
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_error.clear();
    }
    d_run_dumps = 0;
    d_broken = d_ended = false;
    d_next.clear();
    d_params.history = d_history;
    open_next("the flowgraph was started again", {}, log);
}

void sink_file::open_next(const std::string& why,
                          const std::optional<epoch>& start,
                          gr::logger& log)
{
    const auto earlier = files();
    std::lock_guard<std::mutex> lock(d_mutex);
    d_earlier = earlier;
    d_writer.reset();
    try {
        if (!d_earlier.empty()) {
            d_name = free_name(start);
            log.info("{:s}: the dumps from then on go into {:s}", why, d_name);
        }
        d_writer = io::open_visibility_file(d_name, d_params);
    } catch (const std::exception& e) {
        d_error = e.what();
        log.error("{:s}", d_error);
        d_broken = true;
    }
}

void sink_file::begin_next(const std::string& why, gr::logger& log)
{
    if (d_broken || d_run_dumps == 0) {
        return;
    }
    log.warn("{:s}", why);
    try {
        if (d_next.empty()) {
            d_writer->note(why + ": what comes from then on is in another file");
            d_writer->finish();
        }
        d_next = why;
    } catch (const std::exception& e) {
        give_up(e.what(), log);
    }
}

void sink_file::write(const io::dump& d, gr::logger& log)
{
    if (!d_broken && !d_next.empty()) {
        d_params.history = d_history + (d_history.empty() ? "" : "\n") + d_next +
                           ": what came before is in " + name();
        open_next(d_next, d.start, log);
        d_next.clear();
    }
    if (d_broken) {
        return;
    }
    try {
        d_writer->write(d);
        ++d_dumps;
        ++d_run_dumps;
    } catch (const std::exception& e) {
        give_up(e.what(), log);
    }
}

void sink_file::give_up(const std::string& why, gr::logger& log)
{
    fail(why, log);
    d_broken = true;
}

void sink_file::fail(const std::string& why, gr::logger& log)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (d_error.empty()) {
        d_error = why;
        log.error("{:s}", why);
    }
}

std::string sink_file::error() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_error;
}

io::visibility_files::queue sink_file::waiting() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_writer ? d_writer->waiting() : io::visibility_files::queue();
}

std::string sink_file::name() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_name;
}

std::vector<std::string> sink_file::files() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<std::string> all = d_earlier;
    for (const std::string& name :
         d_writer ? d_writer->files() : std::vector<std::string>()) {
        if (std::find(all.begin(), all.end(), name) == all.end()) {
            all.push_back(name);
        }
    }
    return all;
}

void sink_file::end_run(const std::vector<std::string>& notes, gr::logger& log)
{
    if (d_ended) {
        return;
    }
    d_ended = true;
    if (d_run_dumps == 0) {
        fail(d_name + ": no dump was received, so no file was written", log);
    }
    try {
        if (error().empty() && d_next.empty()) {
            for (const std::string& line : notes) {
                d_writer->note(line);
            }
            d_writer->finish();
        }
    } catch (const std::exception& e) {
        fail(e.what(), log);
    }
    if (!error().empty()) {
        abandon(log);
    }
}

// What there is of the file is known when nobody writes to it any more.
void sink_file::abandon(gr::logger& log)
{
    if (!d_writer) {
        return;
    }
    try {
        d_writer->abandon();
    } catch (const std::exception& e) {
        log.error("{:s}", e.what());
    }
    if (d_run_dumps == 0) {
        return;
    }
    const std::string kept = d_writer->kept();
    log.error("{:s}", kept);
    std::lock_guard<std::mutex> lock(d_mutex);
    d_error += "; " + kept;
}

} // namespace gr::fringe
