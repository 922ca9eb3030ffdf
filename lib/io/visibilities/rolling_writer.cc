/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/rolling_writer.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace gr::fringe::io {

namespace fs = std::filesystem;

std::string dated_path(const std::string& path, const epoch& when)
{
    std::string digits = when.iso(0); // 2026-06-12T22:00:00
    digits.erase(std::remove_if(digits.begin(),
                                digits.end(),
                                [](char c) { return c == '-' || c == ':' || c == 'Z'; }),
                 digits.end());
    std::replace(digits.begin(), digits.end(), 'T', '_');
    const fs::path p = path;
    auto name = p.stem();
    name += "_" + digits;
    name += p.extension();
    return p.parent_path() / name;
}

rolling_writer::rolling_writer(const std::string& path,
                               const visibility_file_params& params,
                               opener open)
    : d_path(path), d_params(params), d_open(std::move(open))
{
    const double roll = params.roll_seconds;
    if (!(roll == 0 || (roll >= 1 && roll <= 1e9 && std::floor(roll) == roll)))
        throw std::invalid_argument(path + ": a new file every " + std::to_string(roll) +
                                    " seconds cannot be: give 0 for a single file, or "
                                    "whole seconds");
    if (roll == 0) {
        d_name = path;
        d_file = d_open(path, params);
    } else {
        const fs::path p = path;
        const std::string any = p.stem().string() + "_YYYYMMDD_HHMMSS";
        d_turn.emplace(p.parent_path() / (any + p.extension().string()),
                       output_target::kind::whole_file,
                       false);
        // A file of no date: what would fail with the first dump fails now.
        d_open(dated_path(path, epoch()), params)->abandon();
    }
}

void rolling_writer::stands(const std::string& name)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_current = name;
}

// Finishes the file before a dump that another one begins with, and opens that.
void rolling_writer::turn(const dump& d)
{
    const auto seconds = static_cast<std::uint64_t>(d_params.roll_seconds);
    const auto period = d.start.plus_seconds(d.interval / 2).seconds / seconds;
    // The first spectrum of a dump may begin a little before the dump's own time does.
    const auto name =
        dated_path(d_path, {std::max(d.start.seconds, period * seconds), 0});
    d_asked = d_asked || d.begins_file;
    if (d_file && (period != d_period || (d_asked && name != d_name)))
        finish_file();
    d_period = period;
    if (!d_file) {
        d_asked = false;
        d_name = name;
        d_file = d_open(name, d_params);
    }
}

void rolling_writer::write(const dump& d)
{
    if (d_params.roll_seconds > 0)
        turn(d);
    if (!d_file)
        throw std::runtime_error(d_path + ": a dump came after the end");
    d_file->write(d);
    stands(partial_path(d_name));
}

void rolling_writer::idle()
{
    if (d_file)
        d_file->idle();
}

std::uint64_t rolling_writer::saved() const
{
    return d_saved + (d_file ? d_file->saved() : 0);
}

void rolling_writer::note(const std::string& line)
{
    if (d_file)
        d_file->note(line);
}

// Remembers what the disk says as late as that.
template <class F>
void rolling_writer::ending(F&& f)
{
    try {
        f();
    } catch (const lost_writes&) {
        d_lost = true;
        throw;
    }
}

void rolling_writer::finish_file()
{
    ending([this] { d_file->finish(); });
    d_saved += d_file->saved();
    d_file.reset();
    std::lock_guard<std::mutex> lock(d_mutex);
    d_whole.push_back(d_name);
    d_current.clear();
}

void rolling_writer::finish()
{
    const auto turn = std::move(d_turn);
    d_turn.reset();
    if (d_file)
        finish_file();
    else if (d_whole.empty())
        throw std::runtime_error(d_path +
                                 ": not one dump was written, so no file is made");
}

void rolling_writer::abandon()
{
    const auto turn = std::move(d_turn);
    d_turn.reset();
    if (d_file)
        ending([this] { d_file->abandon(); });
}

std::vector<std::string> rolling_writer::files() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::vector<std::string> all;
    for (const auto& name : d_whole)
        if (fs::exists(name))
            all.push_back(name);
    if (!d_current.empty() && fs::exists(d_current))
        all.push_back(d_current);
    return all;
}

std::string rolling_writer::kept() const
{
    auto all = files();
    if (all.empty())
        return "nothing was kept";
    std::string sentence;
    const std::string partial = partial_path(d_name);
    const bool has_partial = d_file && all.back() == partial;
    if (has_partial)
        all.pop_back();
    for (const auto& name : all)
        sentence += (sentence.empty() ? "" : ", ") + name;
    if (!all.empty())
        sentence += all.size() > 1 ? " are whole" : " is whole";
    if (!has_partial)
        return sentence;
    const std::uint64_t dumps = d_file->saved();
    return sentence + (sentence.empty() ? "" : "; ") +
           (d_lost       ? "what is in " + partial + " may not be whole"
            : dumps == 0 ? "no whole dump is in " + partial
            : dumps == 1
                ? "the first dump is in " + partial
                : "the first " + std::to_string(dumps) + " dumps are in " + partial);
}

} // namespace gr::fringe::io
