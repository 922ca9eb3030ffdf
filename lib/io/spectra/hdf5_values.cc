/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/spectra/hdf5_values.h"
#include "io/durable/hdf5_session.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
hid_t memory_type(std::int64_t) { return H5T_NATIVE_INT64; }

bool is_number(hid_t type)
{
    const auto kind = H5Tget_class(type);
    return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

// A single number in an attribute.
template <class T>
T number_of(const hdf5_values& in,
            const std::string& name,
            const char* wanted,
            bool whole)
{
    if (H5Aexists(in.file, name.c_str()) <= 0)
        throw std::invalid_argument(in.path + ": has no attribute '" + name + "'");
    const hdf5_handle a(H5Aopen(in.file, name.c_str(), H5P_DEFAULT), H5Aclose);
    const hdf5_handle type(H5Aget_type(a), H5Tclose);
    const hdf5_handle space(H5Aget_space(a), H5Sclose);
    T value{};
    if (!is_number(type) || (whole && H5Tget_class(type) != H5T_INTEGER) ||
        H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(a, memory_type(value), &value) < 0)
        throw std::invalid_argument(in.path + ": attribute '" + name + "': is not " +
                                    wanted);
    return value;
}

} // namespace

std::string hdf5_values::text(const std::string& name) const
{
    if (H5Aexists(file, name.c_str()) <= 0)
        throw std::invalid_argument(path + ": has no attribute '" + name + "'");
    const hdf5_handle a(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
    const hdf5_handle type(H5Aget_type(a), H5Tclose);
    const hdf5_handle space(H5Aget_space(a), H5Sclose);
    const auto wrong = [&] {
        return std::invalid_argument(path + ": attribute '" + name + "': is not a text");
    };
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
        throw wrong();
    if (H5Tis_variable_str(type) <= 0) {
        std::string fixed(H5Tget_size(type), '\0');
        if (H5Aread(a, type, &fixed[0]) < 0)
            throw wrong();
        return fixed.c_str();
    }
    char* read = nullptr;
    if (H5Aread(a, type, &read) < 0)
        throw wrong();
    const std::string copy = read ? read : "";
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &read);
    return copy;
}

double hdf5_values::number(const std::string& name) const
{
    return number_of<double>(*this, name, "a number", false);
}

std::int64_t hdf5_values::integer(const std::string& name) const
{
    return number_of<std::int64_t>(*this, name, "a whole number", true);
}

std::vector<hsize_t>
hdf5_values::shape(const std::string& name, hid_t wanted, int rank) const
{
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0)
        throw std::invalid_argument(path + ": has no dataset '" + name + "'");
    const hdf5_handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    const hdf5_handle type(H5Dget_type(set), H5Tclose);
    const hdf5_handle space(H5Dget_space(set), H5Sclose);
    if (set < 0 || H5Tequal(type, wanted) <= 0 ||
        H5Sget_simple_extent_ndims(space) != rank)
        throw std::invalid_argument(
            path + ": dataset '" + name +
            "': has other values or axes than docs/formats.md says");
    std::vector<hsize_t> sides(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, sides.data(), nullptr);
    return sides;
}

template <class T>
std::vector<T> hdf5_values::column(const std::string& name) const
{
    const hid_t type = memory_type(T{});
    std::vector<T> all(shape(name, type, 1)[0]);
    if (!all.empty())
        read(name, type, 0, all.size(), all.data());
    return all;
}

template std::vector<double> hdf5_values::column(const std::string&) const;
template std::vector<std::int64_t> hdf5_values::column(const std::string&) const;

void hdf5_values::read(
    const std::string& name, hid_t type, hsize_t first, hsize_t count, void* out) const
{
    const hdf5_handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    const hdf5_handle space(H5Dget_space(set), H5Sclose);
    std::vector<hsize_t> size(
        static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 1)));
    H5Sget_simple_extent_dims(space, size.data(), nullptr);
    std::vector<hsize_t> start(size.size(), 0);
    start.back() = first;
    size.back() = count;
    const hdf5_handle memory(
        H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(
            space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dread(set, type, memory, space, H5P_DEFAULT, out) < 0)
        throw damaged_recording(path + ": '" + name + "' cannot be read at " +
                                std::to_string(first) + hdf5_cause());
}

} // namespace gr::fringe::io
