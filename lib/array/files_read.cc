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
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace gr::fringe::array {

namespace fs = std::filesystem;

namespace {

struct one_read {
    std::string path;
    fs::path place; // without links
    dev_t device;
    ino_t inode;
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
    struct stat status;
    if (all_read().scopes == 0 || stat(path.c_str(), &status) != 0)
        return;
    for (const auto& file : all_read().files)
        if (file.path == path && file.inode == status.st_ino)
            return;
    std::error_code error;
    const auto place = fs::canonical(path, error);
    if (!error)
        all_read().files.push_back({path, place, status.st_dev, status.st_ino});
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
    struct stat status;
    std::error_code error;
    if (stat(path.c_str(), &status) != 0)
        return "";
    const auto place = fs::canonical(path, error);
    std::lock_guard<std::mutex> lock(all_read().mutex);
    for (const auto& file : all_read().files)
        if ((file.device == status.st_dev && file.inode == status.st_ino) ||
            (!error && (is_below(file.place, place) || is_below(place, file.place))))
            return file.path;
    return "";
}

std::string read_text_file(const std::string& path, std::uint64_t most)
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
        while ((n = read(file, piece, sizeof piece)) != 0 && text.size() <= most) {
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
    if (text.size() > most)
        refuse(path,
               "has more than " + std::to_string(most) +
                   " bytes, too many for a text file of this kind");
    note_read(path);
    return text;
}

} // namespace gr::fringe::array
