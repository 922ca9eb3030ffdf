/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/input_file.h"
#include "array/files_read.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// Where a file ends that has no byte at `offset`: others may have read up to there.
std::uint64_t end_before(int file, std::uint64_t offset)
{
    struct stat status;
    return fstat(file, &status) == 0
               ? std::min(offset, static_cast<std::uint64_t>(status.st_size))
               : offset;
}

} // namespace

const std::string hdf5_signature = "\x89HDF\r\n\x1a\n";

input_file::input_file(const std::string& path) : d_path(path)
{
    // Asked before opening: to open a pipe would wait for its other end.
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        throw std::invalid_argument(path + ": cannot be read: " + std::strerror(errno));
    if (S_ISDIR(status.st_mode))
        throw std::invalid_argument(path + ": is a folder; a recording is a file");
    if (!S_ISREG(status.st_mode))
        throw std::invalid_argument(path +
                                    ": is not an ordinary file, as a recording must be");
    if (status.st_size == 0)
        throw std::invalid_argument(path + ": is empty");
    d_file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (d_file < 0)
        throw std::invalid_argument(path + ": cannot be read: " + std::strerror(errno));
    d_size = static_cast<std::uint64_t>(status.st_size);
    array::note_read(path);
}

input_file::~input_file()
{
    if (d_file >= 0)
        close(d_file);
}

bool input_file::begins_with(const std::string& magic) const
{
    std::string start(magic.size(), '\0');
    if (d_size < magic.size())
        return false;
    read(0, reinterpret_cast<std::uint8_t*>(&start[0]), start.size());
    return start == magic;
}

void input_file::read(std::uint64_t offset, std::uint8_t* out, std::size_t bytes) const
{
    while (bytes > 0) {
        const ssize_t n = pread(d_file, out, bytes, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            throw damaged_recording(d_path + ": cannot be read at byte " +
                                    std::to_string(offset) + ": " + std::strerror(errno));
        if (n == 0)
            throw damaged_recording(d_path + ": ends at byte " +
                                    std::to_string(end_before(d_file, offset)) +
                                    " although it had " + std::to_string(d_size) +
                                    " bytes when it was opened; it became shorter while "
                                    "it was read");
        out += n;
        offset += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
}

bool input_file::read(std::uint64_t offset, const std::vector<iovec>& pieces) const
{
    std::size_t bytes = 0;
    for (const iovec& piece : pieces)
        bytes += piece.iov_len;
    return preadv(d_file,
                  pieces.data(),
                  static_cast<int>(pieces.size()),
                  static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

} // namespace gr::fringe::io
