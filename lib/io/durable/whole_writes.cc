/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/whole_writes.h"
#include <cerrno>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// write(from, bytes, done): one call of the system, behind the bytes that are done.
template <typename F>
std::size_t in_parts(const void* data, std::size_t bytes, F&& write)
{
    const auto from = static_cast<const char*>(data);
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t n = write(from + done, bytes - done, done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

} // namespace

std::size_t write_whole(int file, const void* data, std::size_t bytes)
{
    return in_parts(data, bytes, [=](const char* from, std::size_t count, std::size_t) {
        return ::write(file, from, count);
    });
}

std::size_t
write_whole_at(int file, const void* data, std::size_t bytes, std::uint64_t at)
{
    return in_parts(
        data, bytes, [=](const char* from, std::size_t count, std::size_t done) {
            return ::pwrite(file, from, count, static_cast<off_t>(at + done));
        });
}

} // namespace gr::fringe::io
