/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_CERTIFICATE_H
#define INCLUDED_FRINGE_IO_CERTIFICATE_H

#include <complex>
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! The software that writes, with its version and, where it is known, its commit.
FRINGE_API std::string software();

/*!
 * The sum of rows, of which the first is number `first` of its column, counted from 0:
 *
 *     sum over rows r of (r + 1) CRC-32C(bytes of row r)  mod 2^64
 *
 * A row that changes, and two rows that are exchanged, always change it. Sums of parts of a
 * column add up to that of all, in any order.
 */
FRINGE_API std::uint64_t sum_of_rows(std::uint64_t first,
                                     std::size_t rows,
                                     std::size_t row_bytes,
                                     const void* values);
//! The same of rows whose numbers are given.
FRINGE_API std::uint64_t sum_of_rows(const std::uint64_t* numbers,
                                     std::size_t rows,
                                     std::size_t row_bytes,
                                     const void* values);

/*!
 * What a visibility file says of itself when it is finished, so that anybody can test later
 * that it is still what was written: sums of its columns and tables, and counts of what was
 * lost. Everything is computed while the file is written. docs/formats.md describes it.
 */
class FRINGE_API certificate
{
public:
    //! history: lines for the file's history, of which the first is the command.
    explicit certificate(const std::string& history);

    //! Rows of a column, as they stand in the file.
    void add(const std::string& column,
             std::uint64_t first,
             std::size_t rows,
             std::size_t row_bytes,
             const void* values);
    //! The sum of a row of a column whose bytes came in pieces.
    void add_row(const std::string& column, std::uint64_t row, std::uint32_t crc);
    //! Cells of visibilities; full_weight: that of a cell in which nothing was lost.
    void
    count(const bool* flags, const float* weights, std::size_t cells, double full_weight);
    //! Cells of a baseline between two antennas that belong to one polarization: whether they
    //! are in phase towards the phase center. Every `step`-th of `cells`.
    void look(const std::complex<float>* data,
              const bool* flags,
              std::size_t cells,
              std::size_t step);
    void set_rows(std::uint64_t rows) { d_rows = rows; }
    void set_table(const std::string& name, std::uint32_t crc) { d_tables[name] = crc; }
    //! What the observation calls its phase center; conjugated: data are <conj(x_1) x_2>.
    void set_source(const std::string& name, bool conjugated)
    {
        d_source = name;
        d_conjugated = conjugated;
    }

    //! "gr-fringe certificate {...}", a line of history.
    std::string line() const;
    //! The same without the words: JSON.
    std::string json() const;

private:
    std::string d_command, d_source;
    bool d_conjugated = false;
    std::uint64_t d_rows = 0;
    std::map<std::string, std::uint64_t> d_sums;
    std::map<std::string, std::uint32_t> d_tables;
    std::uint64_t d_cells = 0, d_flagged = 0, d_lost = 0;
    double d_valid = 0;           // sum of the fractions of valid samples
    std::complex<double> d_total; // of cells towards the phase center
    double d_power = 0;           // sum of their squares
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_CERTIFICATE_H */
