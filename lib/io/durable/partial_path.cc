/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/partial_path.h"
#include <filesystem>

namespace gr::fringe::io {

std::string without_trailing_slash(std::string path)
{
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path;
}

std::string partial_path(const std::string& path)
{
    const std::filesystem::path p = without_trailing_slash(path);
    auto name = p.stem();
    name += ".partial";
    name += p.extension();
    return p.parent_path() / name;
}

} // namespace gr::fringe::io
