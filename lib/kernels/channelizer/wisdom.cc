/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/wisdom.h"
#include <cstdlib>
#include <fftw3.h>
#include <filesystem>
#include <mutex>
#include <string>
#include <unistd.h>

namespace gr::fringe::kernels {

namespace {

namespace fs = std::filesystem;

// In seconds, per plan: ten times what the transforms of radio astronomy take.
constexpr double longest_measurement = 5;

//! "" where the environment names no such place.
fs::path wisdom_file()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    // A path that is not absolute does not count, says the XDG specification.
    const fs::path place = cache && cache[0] == '/' ? fs::path(cache)
                           : home && home[0] == '/' ? fs::path(home) / ".cache"
                                                    : fs::path();
    return place.empty() ? place : place / "gr-fringe" / "fftwf.wisdom";
}

void read_wisdom(const fs::path& file)
{
    std::error_code ignored;
    if (!file.empty() && fs::is_regular_file(file, ignored)) {
        fftwf_import_wisdom_from_filename(file.c_str());
    }
}

// Under another name first, so that no process ever reads half a file.
void write_wisdom(const fs::path& file)
{
    if (file.empty()) {
        return;
    }
    const fs::path fresh = file.string() + "." + std::to_string(getpid());
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (!fftwf_export_wisdom_to_filename(fresh.c_str())) {
        fs::remove(fresh, failed);
        return;
    }
    fs::rename(fresh, file, failed);
    if (failed) {
        fs::remove(fresh, failed);
    }
}

std::mutex planner;
std::string preferred;

// What is read last counts.
void read_all_wisdom(const fs::path& file)
{
    read_wisdom(file);
    if (!preferred.empty()) {
        fftwf_import_wisdom_from_string(preferred.c_str());
    }
}

} // namespace

std::string wisdom_text()
{
    std::lock_guard<std::mutex> lock(planner);
    char* text = fftwf_export_wisdom_to_string();
    const std::string copy = text ? text : "";
    std::free(text);
    return copy;
}

void prefer_wisdom(const std::string& text)
{
    std::lock_guard<std::mutex> lock(planner);
    preferred = text;
}

void* measured_plan(const std::function<void*(unsigned flags)>& make)
{
    std::lock_guard<std::mutex> lock(planner);
    const fs::path file = wisdom_file();
    // Every time: another process may have measured meanwhile, and what is known already
    // is not read twice at any cost that counts.
    read_all_wisdom(file);
    void* plan = make(FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (!plan) {
        fftwf_set_timelimit(longest_measurement);
        plan = make(FFTW_MEASURE);
        fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
        read_wisdom(file);
        write_wisdom(file);
    }
    return plan;
}

} // namespace gr::fringe::kernels
