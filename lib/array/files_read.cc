/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/files_read.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace gr::fringe::array {

namespace fs = std::filesystem;

namespace {

// A file, by whatever name. A new file gets the inode of one that was deleted, and then another
// time of birth; a file system that has none says 0 for all.
struct identity {
    std::uint64_t device = 0, inode = 0;
    std::int64_t born = 0; // ns
};

bool operator==(const identity& a, const identity& b)
{
    return a.device == b.device && a.inode == b.inode && a.born == b.born;
}

std::optional<identity> identify(const std::string& path)
{
    struct statx found;
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &found) != 0)
        return {};
    identity file;
    file.device = makedev(found.stx_dev_major, found.stx_dev_minor);
    file.inode = found.stx_ino;
    if (found.stx_mask & STATX_BTIME)
        file.born = found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
    return file;
}

struct one_read {
    std::string path;
    fs::path place; // without links
    identity file;
};

struct memory {
    std::mutex mutex;
    unsigned scopes = 0;
    std::vector<one_read> files;
};

memory& all_read()
{
    static memory all;
    return all;
}

bool is_below(const fs::path& path, const fs::path& folder)
{
    const auto [end, rest] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw std::invalid_argument(path + ": " + why);
}

} // namespace

reading_scope::reading_scope()
{
    std::lock_guard<std::mutex> lock(all_read().mutex);
    ++all_read().scopes;
}

reading_scope::~reading_scope()
{
    std::lock_guard<std::mutex> lock(all_read().mutex);
    if (--all_read().scopes == 0)
        all_read().files.clear();
}

void note_read(const std::string& path)
{
    std::lock_guard<std::mutex> lock(all_read().mutex);
    const auto file = identify(path);
    if (all_read().scopes == 0 || !file)
        return;
    for (const auto& seen : all_read().files)
        if (seen.path == path && seen.file == *file)
            return;
    std::error_code error;
    const auto place = fs::canonical(path, error);
    if (!error)
        all_read().files.push_back({path, place, *file});
}

std::vector<std::string> files_read()
{
    std::lock_guard<std::mutex> lock(all_read().mutex);
    std::vector<std::string> names;
    for (const auto& file : all_read().files)
        names.push_back(file.path);
    return names;
}

std::string read_in_place_of(const std::string& path)
{
    const auto file = identify(path);
    std::error_code error;
    if (!file)
        return "";
    const auto place = fs::canonical(path, error);
    std::lock_guard<std::mutex> lock(all_read().mutex);
    for (const auto& seen : all_read().files)
        if (seen.file == *file ||
            (!error && (is_below(seen.place, place) || is_below(place, seen.place))))
            return seen.path;
    return "";
}

std::string read_text_file(const std::string& path, std::uint64_t maximum)
{
    // Opening a pipe would wait for its other end.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        refuse(path, std::string("cannot be read: ") + std::strerror(errno));
    std::string text;
    ssize_t n = 0;
    int error = S_ISDIR(status.st_mode) ? EISDIR : 0;
    const bool plain = S_ISREG(status.st_mode);
    if (plain) {
        char piece[1 << 16];
        while ((n = read(file, piece, sizeof piece)) != 0 && text.size() <= maximum) {
            if (n < 0 && errno != EINTR)
                break;
            text.append(piece, static_cast<std::size_t>(n < 0 ? 0 : n));
        }
        error = n < 0 ? errno : 0;
    }
    close(file);
    if (error)
        refuse(path, std::string("cannot be read: ") + std::strerror(error));
    if (!plain)
        refuse(path, "is not a plain file, which alone is read");
    if (text.size() > maximum)
        refuse(path,
               "has more than " + std::to_string(maximum) +
                   " bytes, too many for a text file of this kind");
    note_read(path);
    return text;
}

} // namespace gr::fringe::array
