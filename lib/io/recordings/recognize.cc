/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recognize.h"
#include "io/recordings/input_file.h"
#include "io/recordings/recording_files.h"
#include <algorithm>
#include <filesystem>

namespace gr::fringe::io {

namespace {

std::string format_of_file(const std::string& path)
{
    constexpr std::uint64_t start_bytes = 1u << 16;
    std::error_code ignored;
    const bool there = std::filesystem::exists(path, ignored);
    std::vector<std::uint8_t> start;
    if (there) {
        const input_file file(path);
        start.resize(static_cast<std::size_t>(std::min(file.size(), start_bytes)));
        file.read(0, start.data(), start.size());
    }
    for (const recording_format* f : formats()) {
        if (f->recognizes && f->recognizes(path, start))
            return f->name;
    }
    if (!there)
        input_file{path}; // says why it cannot be read
    return "";
}

} // namespace

std::string format_by_content(const std::string& path)
{
    const std::vector<std::string> files = files_of_recording(path);
    const std::string name = format_of_file(files[0]);
    for (const std::string& file : files) {
        const std::string other = file == files[0] ? name : format_of_file(file);
        if (other != name)
            throw std::invalid_argument(
                file + ": is of format " + (other.empty() ? "no header" : other) + ", " +
                files[0] + " of " + (name.empty() ? "no header" : name) +
                ": files of one recording have one format");
    }
    return name;
}

std::string format_by_ending(const std::string& path)
{
    std::string ending =
        std::filesystem::path(files_of_recording(path)[0]).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    for (const recording_format* f : formats()) {
        const auto& more = f->endings;
        if (ending == "." + f->name ||
            std::any_of(more.begin(), more.end(), [&](const std::string& e) {
                return ending == "." + e;
            }))
            return f->name;
    }
    return "";
}

} // namespace gr::fringe::io
