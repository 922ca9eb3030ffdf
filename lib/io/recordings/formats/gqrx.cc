/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "io/recordings/sdr_file_name.h"
#include <filesystem>

namespace gr::fringe::io {

namespace {

bool is_gqrx(const std::string& path, const std::vector<std::uint8_t>&)
{
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string ending = "_fc.raw";
    return name.compare(0, 5, "gqrx_") == 0 && name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0 &&
           sdr_file_name(path).sample_rate > 0;
}

std::unique_ptr<recording> open_gqrx(const std::string& path,
                                     const recording_hints& hints)
{
    const sdr_file_name name(path);
    recording_info info;
    info.encoding = "cf32";
    info.streams = 1;
    info.sample_rate = name.sample_rate;
    info.center_frequency = name.frequency;
    info.has_start_time = name.has_time;
    info.start_time = name.time;
    info.start_within = 1; // s
    if (hints.streams > 1)
        throw std::invalid_argument(path + ": holds one input, not the " +
                                    std::to_string(hints.streams) + " that were given");
    return open_described({std::make_shared<const input_file>(path)}, info);
}

} // namespace

recording_format format_gqrx()
{
    recording_format f;
    f.name = "gqrx";
    f.summary =
        "gqrx: floats of gqrx_DATE_TIME_FREQUENCY_RATE_fc.raw, known by this name";
    f.self_describing = true;
    f.encoding.bits = 0;
    f.recognizes = is_gqrx;
    f.open = open_gqrx;
    return f;
}

} // namespace gr::fringe::io
