/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_INPUT_FILE_H
#define INCLUDED_FRINGE_IO_INPUT_FILE_H

#include <cstdint>
#include <string>
#include <sys/uio.h>
#include <vector>

namespace gr::fringe::io {

/*!
 * An ordinary file open for reading at any place.
 *
 * The constructor throws std::invalid_argument with a sentence for what cannot be read:
 * a missing file, a folder, a device, an empty file.
 */
class input_file
{
public:
    explicit input_file(const std::string& path);
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    ~input_file();

    const std::string& path() const { return d_path; }
    std::uint64_t size() const { return d_size; } //!< bytes, when it was opened
    //! True when the file begins with these bytes.
    bool begins_with(const std::string& magic) const;
    //! Throws damaged_recording when the bytes are not there any more.
    void read(std::uint64_t offset, std::uint8_t* out, std::size_t bytes) const;
    //! Fills up to 1024 pieces of memory with bytes that follow one another; false when they
    //! could not all be read at once.
    bool read(std::uint64_t offset, const std::vector<iovec>& pieces) const;

private:
    std::string d_path;
    int d_file = -1;
    std::uint64_t d_size = 0;
};

//! What an HDF5 file begins with.
extern const std::string hdf5_signature;

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_INPUT_FILE_H */
