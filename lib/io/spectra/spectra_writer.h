/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_WRITER_H
#define INCLUDED_FRINGE_IO_SPECTRA_WRITER_H

#include "io/spectra/spectra_certificate.h"
#include "io/spectra/spectra_facts.h"
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace gr::fringe::io {

class hdf5_output;

/*!
 * Writes a recording of spectra.
 *
 * A block is a chunk of the dataset, so what comes goes to its place as it is. The
 * tables of the file have places for blocks that have not come: a block is in the file as
 * soon as its number of spectra is, and nothing waits for the disk. Of a process that was
 * killed all whole blocks can be read.
 */
class FRINGE_API spectra_writer
{
public:
    //! Something that was lost: input, inputs, channel, channels, first spectrum of the
    //! block, spectra.
    using lost_box = std::array<std::uint64_t, 6>;

    //! `file`: open for reading and writing, empty, closed by this; nothing is written
    //! before the first block. Throws std::invalid_argument.
    spectra_writer(int file, const spectra_facts& facts);
    ~spectra_writer();

    //! A remark on the times; to be made before the first block.
    void remark(const std::string& time) { d_facts.time = time; }

    //! Adds a block [channel][input][spectrum][real, imaginary], the first `count` spectra
    //! of which are there. The first block has a run. Throws std::runtime_error.
    void add(const std::int8_t* values,
             std::size_t count,
             const std::vector<lost_box>& lost,
             const std::optional<spectra_run>& run);
    //! Cuts off the places that were not used, and closes the file. Throws
    //! std::runtime_error.
    void finish();

    const spectra_facts& facts() const { return d_facts; }
    //! Spectra so far.
    std::uint64_t spectra() const { return d_spectra; }

private:
    void create(const spectra_run& run);
    void grow();
    void resize(std::uint64_t blocks, std::uint64_t spectra);
    void add_run(const spectra_run& run);
    void add_times(std::size_t count);
    //! False where nothing was lost, and nothing is written.
    bool add_losses(const std::vector<lost_box>& lost, std::size_t count);

    spectra_facts d_facts;
    int d_descriptor;
    std::unique_ptr<hdf5_output> d_file;
    std::uint64_t d_blocks = 0;  // that were written
    std::uint64_t d_room = 0;    // blocks for which there is room
    std::uint64_t d_spectra = 0; // that were written
    std::uint64_t d_end = 0;     // of them, on the axis of time
    std::uint64_t d_runs = 0;
    std::uint64_t d_run_room = 0;
    spectra_run d_first, d_run;
    std::uint64_t d_in_run = 0; // spectra since d_run
    std::vector<double> d_times;
    std::unique_ptr<bool[]> d_lost;
    spectra_certificate d_certificate;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_WRITER_H */
