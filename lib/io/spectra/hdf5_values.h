/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_VALUES_H
#define INCLUDED_FRINGE_IO_HDF5_VALUES_H

#include <cstdint>
#include <hdf5.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

// What an HDF5 file holds, by the names of attributes of the file itself and of datasets. An
// hdf5_session must be held. What is not there, or something else, is a
// std::invalid_argument in a sentence that begins with `path`; what cannot be read is a
// damaged_recording.
struct hdf5_values {
    hid_t file;
    const std::string& path;

    std::string text(const std::string& attribute) const;
    double number(const std::string& attribute) const;
    std::int64_t integer(const std::string& attribute) const;

    //! Sides of a dataset of elements of `type`, of which there are `rank`.
    std::vector<hsize_t> shape(const std::string& dataset, hid_t type, int rank) const;
    //! All of a dataset of numbers along one axis, as double or std::int64_t.
    template <class T>
    std::vector<T> column(const std::string& dataset) const;
    //! The part of a dataset at places first ... first + count - 1 of its last axis.
    void read(const std::string& dataset,
              hid_t type,
              hsize_t first,
              hsize_t count,
              void* out) const;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_VALUES_H */
