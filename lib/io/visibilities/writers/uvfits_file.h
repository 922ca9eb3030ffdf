/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVFITS_FILE_H
#define INCLUDED_FRINGE_IO_UVFITS_FILE_H

#include <cstdint>
#include <string>

namespace gr::fringe::io {

/*!
 * A FITS file whose groups grow in front of the tables that have to follow them.
 *
 *     header | groups | filler | tables
 *
 * The filler is an extension of its own that readers skip. New groups are written into it,
 * with the header of what is left of it behind them; then the number of groups in the
 * file's header is changed, in one step; then the groups take the place of the old
 * filler's header. A process that is killed anywhere in between leaves a file that can be
 * read, in which at most the groups of the last append() are not whole. When the filler
 * comes to its end the tables are written again, farther away. The filler is a hole in the
 * file: it takes up no space on the disk.
 *
 * Throws std::runtime_error.
 */
class uvfits_file
{
public:
    //! Makes the file; `name` is that of its errors. The tables are written again and
    //! again as they are.
    uvfits_file(int file,
                const std::string& name,
                const std::string& header,
                const std::string& tables,
                std::size_t group_bytes);
    uvfits_file(const uvfits_file&) = delete;
    uvfits_file& operator=(const uvfits_file&) = delete;
    ~uvfits_file();

    //! Where the groups of the next append() are to be written to by put(), in any order.
    //! There is room for `count`.
    void begin(std::uint64_t count);
    //! Bytes at a number of bytes behind the last group.
    void put(std::uint64_t offset, const std::string& bytes);
    //! They are there: the file has `count` groups more.
    void append(std::uint64_t count);

    //! Without the filler, under another header of the same size. Throws lost_writes where
    //! the disk did not keep what it took; after any other failure the file is as it was.
    void close(const std::string& header);
    //! What stands behind the groups at the end.
    const std::string& tables() const { return d_tables; }

private:
    std::uint64_t end_of(std::uint64_t groups) const;
    void write_at(std::uint64_t offset, const char* bytes, std::size_t count);
    void write_at(std::uint64_t offset, const std::string& bytes);
    bool cut(std::uint64_t bytes);

    const std::string d_name;
    const std::string d_tables;
    const std::size_t d_group_bytes;
    const std::uint64_t d_header_bytes;
    const std::uint64_t d_gcount; // where the number of groups stands
    int d_file;
    std::uint64_t d_groups = 0;
    std::uint64_t d_filler = 0;    // where it begins
    std::uint64_t d_tables_at = 0; // where it ends
    std::string d_held;            // new groups in the place of the filler's header
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVFITS_FILE_H */
