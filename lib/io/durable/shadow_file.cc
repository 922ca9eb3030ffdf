/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/shadow_file.h"
#include "io/durable/whole_writes.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// Tables get room in regions of this size, so that no page is shared by both sides.
constexpr std::uint64_t region_bytes = 32768;

[[noreturn]] void fail(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

shadow_file::shadow_file(int file) : d_file(file) {}

shadow_file::~shadow_file() { close(d_file); }

std::uint64_t shadow_file::add(std::uint64_t bytes)
{
    const std::uint64_t at = d_end;
    d_end += bytes;
    return at;
}

std::uint64_t shadow_file::table_space(int side, std::uint64_t bytes)
{
    auto& t = d_tables[side];
    if (bytes > t.left) {
        t.left = (bytes + region_bytes - 1) / region_bytes * region_bytes;
        add((page_bytes - d_end % page_bytes) % page_bytes);
        t.next = add(t.left);
    }
    const std::uint64_t at = t.next;
    t.next += bytes;
    t.left -= bytes;
    return at;
}

std::uint64_t shadow_file::data_space(int side, std::uint64_t bytes)
{
    auto& t = d_tables[side];
    const std::uint64_t others = d_tables[1 - side].pieces;
    if (t.pieces++ >= others) {
        d_pieces.push_back({add(bytes), bytes});
        return d_pieces.back().at;
    }
    const piece p = d_pieces.front();
    d_pieces.pop_front();
    if (p.bytes != bytes)
        throw std::logic_error("the two sides of a file are not alike");
    return p.at;
}

shadow_file::page shadow_file::read_page(std::uint64_t number) const
{
    page all(page_bytes); // zeros beyond the end
    const ssize_t n =
        pread(d_file, all.data(), page_bytes, static_cast<off_t>(number * page_bytes));
    if (n < 0)
        fail("the file cannot be read");
    return all;
}

void shadow_file::read(int side, std::uint64_t at, char* out, std::size_t bytes) const
{
    const auto& written = d_tables[side].written;
    while (bytes > 0) {
        const std::uint64_t number = at / page_bytes, from = at % page_bytes;
        const std::size_t part = std::min<std::size_t>(bytes, page_bytes - from);
        const auto own = written.find(number);
        const page p = own == written.end() ? read_page(number) : own->second;
        std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(from), part, out);
        at += part;
        out += part;
        bytes -= part;
    }
}

void shadow_file::write_table(int side,
                              std::uint64_t at,
                              const char* from,
                              std::size_t bytes)
{
    auto& written = d_tables[side].written;
    while (bytes > 0) {
        const std::uint64_t number = at / page_bytes, first = at % page_bytes;
        const std::size_t part = std::min<std::size_t>(bytes, page_bytes - first);
        auto own = written.find(number);
        if (own == written.end())
            own = written.emplace(number, read_page(number)).first;
        std::copy_n(from, part, own->second.begin() + static_cast<std::ptrdiff_t>(first));
        at += part;
        from += part;
        bytes -= part;
    }
}

void shadow_file::write_data(std::uint64_t at, const char* from, std::size_t bytes)
{
    if (!d_ended)
        write(at, from, bytes);
}

void shadow_file::write(std::uint64_t at, const char* from, std::size_t bytes)
{
    if (write_whole_at(d_file, from, bytes, at) < bytes)
        fail("the file cannot be written");
}

void shadow_file::sync()
{
    // There are file systems that have nothing to wait for.
    if (fdatasync(d_file) != 0 && errno != EINVAL)
        fail("the disk does not take the file");
}

void shadow_file::publish(bool durable)
{
    auto& written = d_tables[hidden()].written;
    const auto root = written.find(0);
    if (d_ended || root == written.end())
        return;
    struct stat now;
    if (fstat(d_file, &now) != 0 || (static_cast<std::uint64_t>(now.st_size) < d_end &&
                                     ftruncate(d_file, static_cast<off_t>(d_end)) != 0))
        fail("the file cannot be made longer");
    // A disk takes what is written in an order of its own. The root that the file shows has
    // to be there before the tables that the one before it shows are changed, and those
    // before the root that will show them.
    if (durable)
        sync();
    for (auto p = std::next(root); p != written.end(); ++p)
        write(p->first * page_bytes, p->second.data(), page_bytes);
    if (durable)
        sync();
    write(0, root->second.data(), page_bytes);
    // The root stays here: the file will have the other's in its place.
    written.erase(std::next(root), written.end());
    d_shown = hidden();
}

} // namespace gr::fringe::io
