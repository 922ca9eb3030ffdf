/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SHADOW_FILE_H
#define INCLUDED_FRINGE_IO_SHADOW_FILE_H

#include <array>
#include <cstdint>
#include <deque>
#include <gnuradio/fringe/api.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * A file that grows and is at every instant one of the states that were published.
 *
 * It holds data, which are only added to, and two copies of the tables that say where the
 * data lie: its sides. The first page of the file is the root of one of them, the side
 * that a reader sees. What is written to tables stays in memory until publish() puts
 * those of the other side into the file, and their root over the first page at last: a
 * page of memory is copied to the file whole, whenever the process is killed. So nothing
 * that the file shows is ever changed in place (shadow paging). The same holds when the
 * power fails: publish() waits for the disk wherever the order of what it writes matters.
 *
 * Both sides are to ask for the same pieces of data space in the same order: they get the
 * same places. Everything throws std::system_error with the reason.
 */
class FRINGE_API shadow_file
{
public:
    static constexpr int sides = 2;

    //! `file`: open for reading and writing, empty; closed by this.
    explicit shadow_file(int file);
    shadow_file(const shadow_file&) = delete;
    shadow_file& operator=(const shadow_file&) = delete;
    ~shadow_file();

    //! A place for tables of a side. Its root is at 0.
    std::uint64_t table_space(int side, std::uint64_t bytes);
    //! A place for data of both.
    std::uint64_t data_space(int side, std::uint64_t bytes);

    //! What was written there, as that side sees it.
    void read(int side, std::uint64_t at, char* out, std::size_t bytes) const;
    void write_table(int side, std::uint64_t at, const char* from, std::size_t bytes);
    void write_data(std::uint64_t at, const char* from, std::size_t bytes);

    //! The side that publish() will show.
    int hidden() const { return 1 - d_shown; }
    //! Without `durable` it does not wait for the disk: a killed process leaves what was
    //! published, a power failure may leave a file that nobody can open.
    void publish(bool durable = true);
    //! Waits until what was written is on the disk.
    void sync();
    //! Leaves the file as it was published: from here on nothing is written.
    void end() { d_ended = true; }

private:
    static constexpr std::size_t page_bytes = 4096;
    using page = std::vector<char>;
    struct tables {
        std::map<std::uint64_t, page> written; // since it was published, and the root
        std::uint64_t next = 0, left = 0;      // of the region that is being filled
        std::uint64_t pieces = 0;              // of data that it asked for
    };
    struct piece {
        std::uint64_t at, bytes;
    };

    std::uint64_t add(std::uint64_t bytes);
    page read_page(std::uint64_t number) const;
    void write(std::uint64_t at, const char* from, std::size_t bytes);

    int d_file;
    int d_shown = 1;
    bool d_ended = false;
    std::uint64_t d_end = page_bytes;
    std::array<tables, sides> d_tables;
    std::deque<piece> d_pieces; // that the other side has not asked for yet
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SHADOW_FILE_H */
