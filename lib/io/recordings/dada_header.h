/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_DADA_HEADER_H
#define INCLUDED_FRINGE_IO_DADA_HEADER_H

#include "io/recordings/input_file.h"
#include <map>
#include <string>

namespace gr::fringe::io {

/*!
 * The header of a PSRDADA file (psrdada.sourceforge.net): lines of a keyword, its value
 * and a comment behind '#', padded with zeros to HDR_SIZE bytes.
 */
class dada_header
{
public:
    //! The header at a byte of the file. Throws std::invalid_argument where none is.
    dada_header(const input_file& file, std::uint64_t at);

    static constexpr std::size_t default_bytes = 4096;
    //! True where a header begins: a line of its first bytes begins with HDR_SIZE.
    static bool begins_with(const std::string& start);

    const std::string& where() const { return d_where; }
    std::uint64_t bytes() const { return d_bytes; }
    bool has(const std::string& key) const { return d_fields.count(key) != 0; }
    //! "" where the header does not have the key.
    std::string text(const std::string& key) const;
    //! 0 where the header does not have the key.
    double number(const std::string& key) const;
    //! A whole number within limits; `missing` where the header does not have the key.
    std::uint64_t whole(const std::string& key,
                        std::uint64_t missing,
                        std::uint64_t least,
                        std::uint64_t maximum) const;
    //! "BW 16", for sentences.
    std::string words(const std::string& key) const { return key + " " + text(key); }

private:
    void read(const input_file& file, std::uint64_t at, std::size_t bytes);

    std::string d_where;
    std::map<std::string, std::string> d_fields;
    std::uint64_t d_bytes = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_DADA_HEADER_H */
