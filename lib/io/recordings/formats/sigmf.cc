/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sigmf_files.h"
#include "io/recordings/tar_file.h"
#include <algorithm>
#include <filesystem>

namespace gr::fringe::io {

namespace {

bool is_archive(const std::string& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return false;
    const input_file file(path);
    std::vector<std::uint8_t> start(
        static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 512)));
    file.read(0, start.data(), start.size());
    return is_tar(start);
}

std::unique_ptr<recording> open_sigmf(const std::string& path,
                                      const recording_hints& hints)
{
    if (std::filesystem::path(path).extension() == ".sigmf-collection")
        return open_sigmf_collection(path, hints);
    return is_archive(path) ? open_sigmf_archive(path, hints)
                            : open_sigmf_pair(path, hints);
}

} // namespace

recording_format format_sigmf()
{
    recording_format f;
    f.name = "sigmf";
    f.summary = "SigMF: .sigmf-meta and .sigmf-data, archives and collections of them";
    f.self_describing = true;
    f.encoding.bits = 0;
    f.endings = {"sigmf-meta", "sigmf-data", "sigmf-collection"};
    f.recognizes = is_sigmf;
    f.open = open_sigmf;
    return f;
}

} // namespace gr::fringe::io
