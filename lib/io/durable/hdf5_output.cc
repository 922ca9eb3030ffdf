/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/hdf5_output.h"
#include "io/certificates/crc32c.h"
#include "io/durable/hdf5_session.h"
#include "io/durable/hdf5_shadow.h"
#include "io/durable/hdf5_types.h"
#include <algorithm>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// Datasets of at most this number of bytes are put into the tables, which the library can up to
// 64 kB.
constexpr std::size_t table_bytes = 60000;

// The type of an element; to be closed.
hid_t type_of(hdf5_output::element e)
{
    using element = hdf5_output::element;
    switch (e) {
    case element::float64:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case element::float32:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    case element::int64:
        return H5Tcopy(H5T_NATIVE_INT64);
    case element::complex64:
        return hdf5_pair_type(H5T_NATIVE_FLOAT);
    case element::complex16:
        return hdf5_pair_type(H5T_NATIVE_INT8);
    default:
        return hdf5_truth_type();
    }
}

hid_t text_type(std::size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, std::max<std::size_t>(length, 1));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

hid_t space_of(const std::vector<hsize_t>& shape)
{
    return shape.empty()
               ? H5Screate(H5S_SCALAR)
               : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
}

} // namespace

hdf5_output::hdf5_output(int file) : d_file(file)
{
    const hdf5_session session;
    d_sides.fill(H5I_INVALID_HID);
    try {
        for (int side = 0; side < shadow_file::sides; side++)
            d_sides[side] = make_hdf5_side(d_file, side, d_error, d_labeling);
    } catch (const std::exception&) {
        close();
        throw;
    }
}

hdf5_output::~hdf5_output()
{
    const hdf5_session session;
    close();
}

void hdf5_output::close()
{
    d_file.end();
    for (const auto& [name, c] : d_growing)
        for (const hid_t set : c.sets)
            H5Dclose(set);
    for (const hid_t side : d_sides)
        if (side >= 0)
            H5Fclose(side);
}

void hdf5_output::require(bool done, const std::string& what) const
{
    if (!done)
        throw std::runtime_error(what +
                                 (d_error.empty() ? hdf5_cause() : ": " + d_error));
}

void hdf5_output::publish(bool durable)
{
    const hdf5_session session;
    require(H5Fflush(d_sides[d_file.hidden()], H5F_SCOPE_GLOBAL) >= 0,
            "the HDF5 file cannot be flushed");
    d_file.publish(durable);
}

void hdf5_output::label(const std::function<void(hid_t file)>& change)
{
    const hdf5_session session;
    d_labeling = true;
    for (const hid_t side : d_sides)
        change(side);
    d_labeling = false;
}

void hdf5_output::group(const std::string& name)
{
    const hdf5_session session;
    for (const hid_t side : d_sides) {
        const hdf5_handle made(
            H5Gcreate2(side, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
            H5Gclose);
        require(made >= 0, "cannot make " + name);
    }
}

void hdf5_output::make(const std::string& name,
                       hid_t type,
                       hid_t space,
                       const void* values)
{
    const hdf5_handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const auto elements = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    d_checksums[name] = crc32c(values, elements * H5Tget_size(type));
    if (elements * H5Tget_size(type) <= table_bytes)
        H5Pset_layout(how, H5D_COMPACT);
    for (const hid_t side : d_sides) {
        const hdf5_handle set(
            H5Dcreate2(side, name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT),
            H5Dclose);
        require(set >= 0 &&
                    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
                "cannot write " + name);
    }
}

void hdf5_output::text(const std::string& name, const std::string& value)
{
    texts(name, {value}, {});
}

void hdf5_output::replace_text(const std::string& name, const std::string& value)
{
    {
        const hdf5_session session;
        for (const hid_t side : d_sides)
            require(H5Ldelete(side, name.c_str(), H5P_DEFAULT) >= 0,
                    "cannot remove " + name);
    }
    text(name, value);
}

void hdf5_output::texts(const std::string& name,
                        const std::vector<std::string>& values,
                        const std::vector<hsize_t>& shape)
{
    const hdf5_session session;
    std::size_t length = 1;
    for (const auto& v : values)
        length = std::max(length, v.size());
    std::vector<char> all(length * values.size());
    for (std::size_t k = 0; k < values.size(); k++)
        std::copy(values[k].begin(), values[k].end(), all.begin() + k * length);
    const hdf5_handle type(text_type(length), H5Tclose);
    const hdf5_handle space(space_of(shape), H5Sclose);
    make(name, type, space, all.data());
}

void hdf5_output::array(const std::string& name,
                        element type,
                        const void* values,
                        const std::vector<hsize_t>& shape)
{
    const hdf5_session session;
    const hdf5_handle file_type(type_of(type), H5Tclose);
    const hdf5_handle space(space_of(shape), H5Sclose);
    make(name, file_type, space, values);
}

void hdf5_output::number(const std::string& name, double value)
{
    array(name, element::float64, &value, {});
}

void hdf5_output::integer(const std::string& name, std::int64_t value)
{
    array(name, element::int64, &value, {});
}

void hdf5_output::boolean(const std::string& name, bool value)
{
    array(name, element::boolean, &value, {});
}

void hdf5_output::set_integer(const std::string& name, std::int64_t value)
{
    const hdf5_session session;
    for (const hid_t side : d_sides) {
        const hdf5_handle set(H5Dopen2(side, name.c_str(), H5P_DEFAULT), H5Dclose);
        require(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >=
                    0,
                "cannot write " + name);
    }
}

void hdf5_output::growing(const std::string& name,
                          element type,
                          const std::vector<hsize_t>& row,
                          std::size_t chunk_rows,
                          std::size_t axis)
{
    const hdf5_session session;
    auto shape = row, maximum = row, chunk = row;
    const auto place = static_cast<std::ptrdiff_t>(axis);
    shape.insert(shape.begin() + place, 0);
    maximum.insert(maximum.begin() + place, H5S_UNLIMITED);
    chunk.insert(chunk.begin() + place, chunk_rows);
    const int rank = static_cast<int>(shape.size());
    const hdf5_handle space(H5Screate_simple(rank, shape.data(), maximum.data()),
                            H5Sclose);
    const hdf5_handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how, rank, chunk.data());
    // Both sides give a row its place when there is room made for it; one writes it.
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    // Rows go straight there: whole chunks in memory would be read first.
    const hdf5_handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access, 0, 0, 0);
    const hdf5_handle file_type(type_of(type), H5Tclose);
    column c{{}, shape, axis};
    for (std::size_t s = 0; s < d_sides.size(); s++)
        c.sets[s] = H5Dcreate2(
            d_sides[s], name.c_str(), file_type, space, H5P_DEFAULT, how, access);
    require(*std::min_element(c.sets.begin(), c.sets.end()) >= 0, "cannot make " + name);
    d_growing.emplace(name, c);
}

hdf5_output::column& hdf5_output::find(const std::string& name)
{
    const auto c = d_growing.find(name);
    if (c == d_growing.end())
        throw std::logic_error(name + ": is no growing dataset");
    return c->second;
}

void hdf5_output::extend(const std::string& name, std::uint64_t rows)
{
    const hdf5_session session;
    auto& c = find(name);
    c.shape[c.axis] = rows;
    for (const hid_t set : c.sets)
        require(H5Dset_extent(set, c.shape.data()) >= 0,
                "cannot make " + name + " longer");
}

void hdf5_output::put_rows(const std::string& name,
                           element type,
                           std::uint64_t first,
                           std::uint64_t count,
                           const void* values)
{
    const hdf5_session session;
    const auto& c = find(name);
    auto size = c.shape;
    size[c.axis] = count;
    std::vector<hsize_t> start(size.size(), 0);
    start[c.axis] = first;
    const hdf5_handle memory_type(type_of(type), H5Tclose);
    const hdf5_handle in_memory(space_of(size), H5Sclose);
    const hdf5_handle in_file(H5Dget_space(c.sets[0]), H5Sclose);
    require(
        H5Sselect_hyperslab(
            in_file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >= 0 &&
            H5Dwrite(c.sets[0], memory_type, in_memory, in_file, H5P_DEFAULT, values) >=
                0,
        "cannot write " + name);
}

} // namespace gr::fringe::io
