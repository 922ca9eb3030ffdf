/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_FILE_H
#define INCLUDED_FRINGE_IO_HDF5_FILE_H

#include <cstdint>
#include <hdf5.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * An HDF5 file open for reading.
 *
 * Errors are sentences: the constructor throws std::invalid_argument when the file is not
 * HDF5; all else that fails is a damaged_recording.
 */
class hdf5_file
{
public:
    explicit hdf5_file(const std::string& path);
    hdf5_file(const hdf5_file&) = delete;
    hdf5_file& operator=(const hdf5_file&) = delete;
    ~hdf5_file();

    const std::string& path() const { return d_path; }
    //! For an hdf5_session.
    hid_t id() const { return d_file; }

    //! Text of a dataset of one string; "" without a dataset of that name.
    std::string text(const std::string& name) const;

    //! Opens the dataset of bytes u8[rows][columns] that read_columns() reads, and
    //! returns its shape. Throws std::invalid_argument when it is missing or
    //! something else.
    std::vector<std::uint64_t> open_bytes(const std::string& name);
    //! Reads columns first ... first + count - 1 of all rows, [row][column].
    void read_columns(std::uint64_t first, std::uint64_t count, std::uint8_t* out) const;

private:
    std::string d_path;
    std::string d_name;
    hid_t d_file = H5I_INVALID_HID;
    hid_t d_bytes = H5I_INVALID_HID;
    std::vector<std::uint64_t> d_shape;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_FILE_H */
