/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_READER_H
#define INCLUDED_FRINGE_IO_SPECTRA_READER_H

#include "io/spectra/spectra_facts.h"
#include <map>
#include <memory>
#include <vector>

namespace gr::fringe::io {

class hdf5_file;

/*!
 * Reads a recording of spectra, whole or as far as a process that was killed wrote it.
 *
 * Throws std::invalid_argument for a file that is none, or that says what cannot be, and
 * damaged_recording where it cannot be read.
 */
class FRINGE_API spectra_reader
{
public:
    explicit spectra_reader(const std::string& path);
    ~spectra_reader();

    const spectra_facts& facts() const { return d_facts; }
    //! Spectra of each block.
    const std::vector<std::int64_t>& blocks() const { return d_blocks; }
    //! Runs, by the block that each of them begins with; block 0 has one.
    const std::map<std::uint64_t, spectra_run>& runs() const { return d_runs; }
    //! Whether blocks had got their places that were never written.
    bool unfinished() const { return d_unfinished; }

    //! Reads the values of a block, spectra_facts::block_bytes().
    void read(std::uint64_t block, std::int8_t* values) const;
    //! Reads 1 for what was lost of it, else 0: spectra_facts::lost_cells().
    void read_lost(std::uint64_t block, std::uint8_t* lost) const;

private:
    void read_facts();
    void read_blocks();
    void read_runs();

    std::unique_ptr<hdf5_file> d_file;
    spectra_facts d_facts;
    std::uint64_t d_spectra = 0; // places on the axis of time
    std::vector<std::int64_t> d_blocks;
    std::map<std::uint64_t, spectra_run> d_runs;
    bool d_unfinished = false;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_READER_H */
