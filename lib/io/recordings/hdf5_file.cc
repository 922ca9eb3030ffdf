/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/hdf5_file.h"
#include "io/durable/hdf5_session.h"
#include "io/recordings/file_checks.h"
#include "io/recordings/input_file.h"
#include "io/recordings/recording.h"

namespace gr::fringe::io {

hdf5_file::hdf5_file(const std::string& path) : d_path(path)
{
    if (!input_file(path).begins_with(hdf5_signature))
        throw std::invalid_argument(path + ": is not an HDF5 file");
    check_hdf5_file(path);
    const hdf5_session session;
    d_file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (d_file < 0)
        throw damaged_recording(path + ": is a damaged HDF5 file" + hdf5_cause());
}

hdf5_file::~hdf5_file()
{
    const hdf5_session session;
    if (d_bytes >= 0)
        H5Dclose(d_bytes);
    if (d_file >= 0)
        H5Fclose(d_file);
}

std::string hdf5_file::text(const std::string& name) const
{
    const hdf5_session session;
    if (H5Lexists(d_file, name.c_str(), H5P_DEFAULT) <= 0)
        return "";
    const hdf5_handle set(H5Dopen2(d_file, name.c_str(), H5P_DEFAULT), H5Dclose);
    const hdf5_handle type(H5Dget_type(set), H5Tclose);
    const hdf5_handle space(H5Dget_space(set), H5Sclose);
    if (set < 0 || H5Tget_class(type) != H5T_STRING ||
        H5Sget_simple_extent_npoints(space) != 1)
        return "";
    if (H5Tis_variable_str(type) <= 0) {
        std::string fixed(H5Tget_size(type), '\0');
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &fixed[0]) < 0)
            throw damaged_recording(d_path + ": cannot read " + name + hdf5_cause());
        return fixed.c_str();
    }
    const hdf5_handle memory(H5Tcopy(type), H5Tclose);
    char* text = nullptr;
    if (H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) < 0)
        throw damaged_recording(d_path + ": cannot read " + name + hdf5_cause());
    const std::string copy = text ? text : "";
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &text);
    return copy;
}

std::vector<std::uint64_t> hdf5_file::open_bytes(const std::string& name)
{
    const hdf5_session session;
    const std::string wanted = "; expected '" + name + "', bytes u8[antenna][time]";
    if (H5Lexists(d_file, name.c_str(), H5P_DEFAULT) <= 0)
        throw std::invalid_argument(d_path + ": has no dataset '" + name + "'" + wanted);
    d_name = name;
    d_bytes = H5Dopen2(d_file, name.c_str(), H5P_DEFAULT);
    if (d_bytes < 0)
        throw std::invalid_argument(d_path + ": '" + name + "' is not a dataset" +
                                    wanted);
    const hdf5_handle type(H5Dget_type(d_bytes), H5Tclose);
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 1)
        throw std::invalid_argument(d_path + ": '" + name + "' does not hold bytes" +
                                    wanted);
    const hdf5_handle space(H5Dget_space(d_bytes), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank != 2)
        throw std::invalid_argument(d_path + ": '" + name + "' has " +
                                    std::to_string(rank) + " dimensions, not 2" + wanted);
    hsize_t shape[2];
    H5Sget_simple_extent_dims(space, shape, nullptr);
    d_shape = {shape[0], shape[1]};
    return d_shape;
}

void hdf5_file::read_columns(std::uint64_t first,
                             std::uint64_t count,
                             std::uint8_t* out) const
{
    const hdf5_session session;
    const hsize_t start[2] = {0, first};
    const hsize_t size[2] = {d_shape[0], count};
    const hdf5_handle in_file(H5Dget_space(d_bytes), H5Sclose);
    const hdf5_handle in_memory(H5Screate_simple(2, size, nullptr), H5Sclose);
    // The type of the file's own bytes: nothing is converted.
    const hdf5_handle type(H5Dget_type(d_bytes), H5Tclose);
    if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, size, nullptr) < 0 ||
        H5Dread(d_bytes, type, in_memory, in_file, H5P_DEFAULT, out) < 0)
        throw damaged_recording(d_path + ": cannot read bytes " + std::to_string(first) +
                                " to " + std::to_string(first + count) +
                                " of each row of '" + d_name + "'" + hdf5_cause());
}

} // namespace gr::fringe::io
