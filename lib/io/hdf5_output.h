/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_OUTPUT_H
#define INCLUDED_FRINGE_IO_HDF5_OUTPUT_H

#include <cstdint>
#include <hdf5.h>
#include <string>
#include <vector>

namespace gr {
namespace fringe {
namespace io {

/*!
 * An HDF5 file open for writing.
 *
 * Datasets are named by their path, "Header/freq_array", in groups that exist. Text has a
 * fixed length and truth values are an enumeration of bytes, as h5py writes them; complex
 * numbers are pairs r, i. The file is not locked against readers. Every failure is a
 * std::runtime_error: what could not be done, and the library's reason.
 */
class hdf5_output
{
public:
    //! What the elements of a dataset are, in memory as in the file.
    enum class element {
        float64,   //!< double
        float32,   //!< float
        int64,     //!< std::int64_t
        complex64, //!< std::complex<float>
        boolean    //!< bool
    };
    enum class mode { create, append };

    //! An old file of that name is emptied by mode::create.
    hdf5_output(const std::string& path, mode how);
    hdf5_output(const hdf5_output&) = delete;
    hdf5_output& operator=(const hdf5_output&) = delete;
    //! Without close(), what was written since the opening may be lost.
    ~hdf5_output();

    void group(const std::string& name);
    void text(const std::string& name, const std::string& value);
    //! As many strings as `shape` says.
    void texts(const std::string& name,
               const std::vector<std::string>& values,
               const std::vector<hsize_t>& shape);
    //! A scalar where shape is empty.
    void array(const std::string& name,
               element type,
               const void* values,
               const std::vector<hsize_t>& shape);
    void number(const std::string& name, double value);
    void integer(const std::string& name, std::int64_t value);
    void boolean(const std::string& name, bool value);
    //! Another text in the place of one.
    void replace_text(const std::string& name, const std::string& value);
    //! A new value for a scalar that exists.
    void set_integer(const std::string& name, std::int64_t value);

    //! A dataset of rows of shape `row` that can grow, in chunks of so many rows.
    void growing(const std::string& name,
                 element type,
                 const std::vector<hsize_t>& row,
                 std::size_t chunk_rows);
    //! Makes a growing dataset so many rows long.
    void extend(const std::string& name, std::uint64_t rows);
    //! Writes rows first ... first + count - 1 of a growing dataset.
    void put_rows(const std::string& name,
                  element type,
                  std::uint64_t first,
                  std::uint64_t count,
                  const void* values);

    //! Everything so far is in the file when this comes back.
    void flush();
    void close();

private:
    void make(const std::string& name, hid_t type, hid_t space, const void* values);

    hid_t d_file = H5I_INVALID_HID;
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_HDF5_OUTPUT_H */
