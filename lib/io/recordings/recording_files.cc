/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_files.h"
#include "io/recordings/successive.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <set>

namespace gr::fringe::io {

bool natural_less(const std::string& a, const std::string& b)
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const std::size_t p = i, q = j;
            while (i < a.size() && is_digit(a[i]))
                ++i;
            while (j < b.size() && is_digit(b[j]))
                ++j;
            const auto digits =
                [](const std::string& text, std::size_t from, std::size_t to) {
                    while (from + 1 < to && text[from] == '0')
                        ++from;
                    return text.substr(from, to - from);
                };
            const std::string x = digits(a, p, i), y = digits(b, q, j);
            if (x.size() != y.size())
                return x.size() < y.size();
            if (x != y)
                return x < y;
        } else if (a[i++] != b[j++]) {
            return a[i - 1] < b[j - 1];
        }
    }
    return i == a.size() && j < b.size();
}

namespace {

bool is_there(const std::string& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ||
           std::filesystem::exists(path + ".sigmf-meta", ignored);
}

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// Two files that are one recording: the one that describes the other stands for both.
void leave_out_pairs(std::vector<std::string>& files)
{
    const std::set<std::string> all(files.begin(), files.end());
    const auto described = [&](const std::string& name) {
        const std::string data = ".sigmf-data", header = ".hdr";
        if (ends_with(name, data))
            return all.count(name.substr(0, name.size() - data.size()) + ".sigmf-meta") >
                   0;
        return ends_with(name, header) &&
               all.count(name.substr(0, name.size() - header.size())) > 0;
    };
    files.erase(std::remove_if(files.begin(), files.end(), described), files.end());
}

std::vector<std::string> files_of_pattern(const std::string& pattern)
{
    if (is_there(pattern) || pattern.find_first_of("*?[") == std::string::npos)
        return {pattern};
    glob_t found{};
    std::vector<std::string> files;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    if (files.empty())
        throw std::invalid_argument(pattern + ": there is no file whose name fits this "
                                              "pattern");
    leave_out_pairs(files);
    std::sort(files.begin(), files.end(), natural_less);
    return files;
}

// A file that is shorter than a second does not tell how many frames a second has.
void open_with_one_rate(std::vector<recording_part>& parts,
                        const recording_format& format,
                        recording_hints hints)
{
    for (const recording_part& part : parts)
        hints.sample_rate = std::max(hints.sample_rate, part.samples->info().sample_rate);
    for (recording_part& part : parts) {
        if (part.samples->info().sample_rate != hints.sample_rate)
            part.samples = format.open(part.name, hints);
    }
}

} // namespace

std::vector<std::string> files_of_recording(const std::string& path)
{
    if (is_there(path))
        return {path};
    std::vector<std::string> files;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('+', at), path.size());
        const auto some = files_of_pattern(path.substr(at, end - at));
        files.insert(files.end(), some.begin(), some.end());
        at = end + 1;
    }
    if (files.size() == 1)
        return files;
    for (const std::string& file : files)
        require(is_there(file),
                path +
                    ": there is no such file; '+' joins files of one receiver that "
                    "follow each other, and there is no " +
                    (file.empty() ? "file without a name" : file));
    std::set<std::string> all;
    for (const std::string& file : files)
        require(all.insert(file).second, path + ": " + file + " is given twice");
    return files;
}

std::unique_ptr<recording> open_recording(const recording_format& format,
                                          const std::string& path,
                                          const recording_hints& hints)
{
    const std::vector<std::string> files = files_of_recording(path);
    if (files.size() == 1)
        return format.open(files[0], hints);
    std::vector<recording_part> parts;
    for (const std::string& file : files) {
        recording_part part;
        part.name = file;
        part.samples = format.open(file, hints);
        parts.push_back(std::move(part));
    }
    open_with_one_rate(parts, format, hints);
    const bool timed = place_by_times(parts, format);
    return one_after_the_other(
        std::move(parts),
        format,
        "files",
        std::to_string(files.size()) + " files of one receiver" +
            (timed ? ""
                   : ", taken to follow each other closely: not all state their time"));
}

} // namespace gr::fringe::io
