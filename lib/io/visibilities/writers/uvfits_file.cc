/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvfits_file.h"
#include "io/durable/output_target.h"
#include "io/durable/whole_writes.h"
#include "io/visibilities/writers/uvfits_tables.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// A filler has room for this number of appends, at least; and for a quarter of the file.
constexpr std::uint64_t appends_ahead = 64;

} // namespace

uvfits_file::uvfits_file(int file,
                         const std::string& name,
                         const std::string& header,
                         const std::string& tables,
                         std::size_t group_bytes)
    : d_name(name),
      d_tables(tables),
      d_group_bytes(group_bytes),
      d_header_bytes(header.size()),
      d_gcount(header.find("GCOUNT  =")),
      d_file(file),
      d_filler(header.size()),
      d_tables_at(header.size() + 2 * fits_block)
{
    try {
        write_at(d_tables_at, d_tables);
        write_at(d_filler, uvfits_filler(fits_block));
        write_at(0, header);
    } catch (...) {
        ::close(d_file);
        throw;
    }
}

uvfits_file::~uvfits_file()
{
    if (d_file >= 0)
        ::close(d_file);
}

std::uint64_t uvfits_file::end_of(std::uint64_t groups) const
{
    return fits_blocks(d_header_bytes + groups * d_group_bytes);
}

void uvfits_file::write_at(std::uint64_t offset, const char* bytes, std::size_t count)
{
    if (write_whole_at(d_file, bytes, count, offset) < count)
        throw std::runtime_error(d_name + ": cannot be written: " + std::strerror(errno));
}

void uvfits_file::write_at(std::uint64_t offset, const std::string& bytes)
{
    write_at(offset, bytes.data(), bytes.size());
}

bool uvfits_file::cut(std::uint64_t bytes)
{
    return ftruncate(d_file, static_cast<off_t>(bytes)) == 0;
}

void uvfits_file::begin(std::uint64_t count)
{
    const std::uint64_t bytes = count * d_group_bytes;
    const std::uint64_t next = end_of(d_groups + count);
    d_held.assign(fits_block, '\0');
    if (next + 2 * fits_block <= d_tables_at)
        return;
    // The old tables stay where they are until nobody needs them: behind the filler's
    // header, which is changed in one step, they are a part of it.
    const std::uint64_t ahead =
        std::max(appends_ahead * bytes, (d_header_bytes + d_groups * d_group_bytes) / 4);
    const std::uint64_t tables_at =
        std::max(next, fits_blocks(d_tables_at + d_tables.size())) + fits_blocks(ahead) +
        2 * fits_block;
    try {
        write_at(tables_at, d_tables);
    } catch (...) {
        // What stands behind the tables would be read as one more.
        cut(d_tables_at + d_tables.size());
        throw;
    }
    write_at(d_filler, uvfits_filler(tables_at - d_filler - fits_block));
    d_tables_at = tables_at;
}

void uvfits_file::put(std::uint64_t offset, const std::string& bytes)
{
    // What falls on the filler's header waits until that is not needed any more.
    const std::uint64_t at = d_header_bytes + d_groups * d_group_bytes + offset;
    const std::uint64_t end = at + bytes.size();
    const std::uint64_t from = std::clamp(d_filler, at, end);
    const std::uint64_t to = std::clamp(d_filler + fits_block, at, end);
    write_at(at, bytes.data(), from - at);
    if (from < to)
        std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(from - at),
                  bytes.begin() + static_cast<std::ptrdiff_t>(to - at),
                  d_held.begin() + static_cast<std::ptrdiff_t>(from - d_filler));
    write_at(to, bytes.data() + (to - at), end - to);
}

void uvfits_file::append(std::uint64_t count)
{
    const std::uint64_t next = end_of(d_groups + count), old = d_filler;
    const std::uint64_t data_end = d_header_bytes + (d_groups + count) * d_group_bytes;
    if (next != old) {
        // Zeros up to the end of the last block.
        const std::uint64_t rest = std::max(data_end, old + fits_block);
        if (rest < next)
            write_at(rest, std::string(next - rest, '\0'));
        write_at(next, uvfits_filler(d_tables_at - next - fits_block));
    }
    write_at(d_gcount, uvfits_gcount_card(d_groups + count));
    if (next != old)
        write_at(old, d_held);
    d_groups += count;
    d_filler = next;
}

void uvfits_file::close(const std::string& header)
{
    // The filler is a hole: the disk may be too full to fill it. So its header, which has
    // its place on the disk, is the last to go.
    write_at(d_filler + fits_block, d_tables.substr(fits_block));
    write_at(0, header.substr(0, d_gcount));
    write_at(d_gcount + 80, header.substr(d_gcount + 80));
    write_at(d_filler, d_tables.substr(0, fits_block));
    if (!cut(d_filler + d_tables.size()))
        throw std::runtime_error(d_name + ": cannot be written: " + std::strerror(errno));
    const int file = d_file;
    d_file = -1;
    close_written(file, d_name);
}

} // namespace gr::fringe::io
