/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_OUTPUT_H
#define INCLUDED_FRINGE_IO_HDF5_OUTPUT_H

#include "io/durable/shadow_file.h"
#include <array>
#include <cstdint>
#include <functional>
#include <hdf5.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * An HDF5 file that is written.
 *
 * Datasets are named by their path, "Header/freq_array", in groups that exist. Text has a
 * fixed length and truth values are an enumeration of bytes, as h5py writes them; complex
 * numbers are pairs r, i.
 *
 * The file is what it was at the last publish(), however the process ends: HDF5 changes
 * its tables in place, so there are two copies of them in the file, which are published in
 * turn (shadow_file). Small datasets are part of the tables. The file is not locked
 * against readers. Every failure is a std::runtime_error: what could not be done, and the
 * reason.
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
        complex16, //!< two std::int8_t, real and imaginary part
        boolean    //!< bool
    };

    //! `file`: open for reading and writing, empty; closed by this.
    explicit hdf5_output(int file);
    hdf5_output(const hdf5_output&) = delete;
    hdf5_output& operator=(const hdf5_output&) = delete;
    //! What was not published is not in the file.
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
    //! CRC-32C of the values of each dataset that does not grow, as they were first written.
    const std::map<std::string, std::uint32_t>& checksums() const { return d_checksums; }

    //! A dataset of rows of shape `row` that can grow, in chunks of a number of rows. The axis
    //! that grows stands at place `axis` among those of a row.
    void growing(const std::string& name,
                 element type,
                 const std::vector<hsize_t>& row,
                 std::size_t chunk_rows,
                 std::size_t axis = 0);
    //! Sets the number of rows of a growing dataset.
    void extend(const std::string& name, std::uint64_t rows);
    //! Writes rows first ... first + count - 1 of a growing dataset; `values` has the
    //! order of its axes.
    void put_rows(const std::string& name,
                  element type,
                  std::uint64_t first,
                  std::uint64_t count,
                  const void* values);

    //! Makes attributes, and nothing else, in each of the two copies of the tables
    //! (hdf5_labels.h). What fails ends the file.
    void label(const std::function<void(hid_t file)>& change);

    //! The file is all of this from here on; in one step. `durable`: see shadow_file.
    void publish(bool durable = true);
    //! Waits until the disk has all that was published.
    void sync() { d_file.sync(); }

private:
    using handles = std::array<hid_t, shadow_file::sides>;
    struct column {
        handles sets;
        std::vector<hsize_t> shape;
        std::size_t axis; // that grows
    };

    void require(bool done, const std::string& what) const;
    void make(const std::string& name, hid_t type, hid_t space, const void* values);
    column& find(const std::string& name);
    void close();

    shadow_file d_file;
    std::string d_error;     // what the file met with
    bool d_labeling = false; // see hdf5_shadow.h
    handles d_sides;
    std::map<std::string, column> d_growing;
    std::map<std::string, std::uint32_t> d_checksums;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_OUTPUT_H */
