/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "checks/hdf5_check.h"
#include "checks/bad_part.h"
#include "checks/hdf5_heaps.h"
#include "checks/hdf5_types.h"
#include "io/durable/hdf5_session.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace gr::fringe::checks {

namespace {

using io::hdf5_cause;
using io::hdf5_handle;
using io::hdf5_session;

constexpr hsize_t small = 16u << 20;        // bytes that a dataset may claim at any rate
constexpr hsize_t max_packed = 1100;        // deflate makes at most 1032 bytes of one
constexpr hsize_t read_through = 64u << 20; // files up to this size are read whole

hsize_t product(hsize_t a, hsize_t b)
{
    hsize_t c;
    return __builtin_mul_overflow(a, b, &c) ? HSIZE_UNDEF : c;
}

hsize_t sum(hsize_t a, hsize_t b)
{
    hsize_t c;
    return __builtin_add_overflow(a, b, &c) ? HSIZE_UNDEF : c;
}

struct dataset {
    std::string name;
    hid_t id;
    hsize_t file_bytes;
};

void check_filters(const dataset& d, hid_t how)
{
    constexpr H5Z_filter_t lzf = 32000; // h5py's
    int packers = 0;
    for (int k = 0; k < H5Pget_nfilters(how); k++) {
        std::size_t values = 0;
        unsigned flags = 0;
        const auto filter = H5Pget_filter2(
            how, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, nullptr);
        if (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32)
            continue;
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SZIP &&
            filter != H5Z_FILTER_NBIT && filter != H5Z_FILTER_SCALEOFFSET &&
            filter != lzf)
            throw bad_part{"'" + d.name + "' is packed by a filter that is not known (" +
                           std::to_string(filter) + ")"};
        packers++;
    }
    if (packers > 1)
        throw bad_part{"'" + d.name + "' is packed more than once"};
}

void check_size(const dataset& d, hid_t how, const std::vector<hsize_t>& shape)
{
    const hdf5_handle type(H5Dget_type(d.id), H5Tclose);
    if (const std::string wrong = wrong_type(type); !wrong.empty())
        throw bad_part{"'" + d.name + "' " + wrong};
    hsize_t claimed = H5Tget_size(type);
    hsize_t chunk = claimed;
    for (const hsize_t n : shape)
        claimed = product(claimed, n);
    const hsize_t stored = H5Dget_storage_size(d.id);
    if (stored > d.file_bytes)
        throw bad_part{"'" + d.name + "' says that it has " + std::to_string(stored) +
                       " bytes in a file of " + std::to_string(d.file_bytes)};
    if (claimed > sum(small, product(max_packed, stored)))
        throw bad_part{"'" + d.name + "' claims to hold " + std::to_string(claimed) +
                       " bytes, of which " + std::to_string(stored) + " are stored"};
    if (H5Pget_layout(how) != H5D_CHUNKED)
        return;
    std::vector<hsize_t> sides(shape.size(), 0);
    H5Pget_chunk(how, static_cast<int>(sides.size()), sides.data());
    for (const hsize_t n : sides)
        chunk = product(chunk, n);
    if (chunk > sum(small, product(max_packed, d.file_bytes)))
        throw bad_part{"'" + d.name + "' has pieces of " + std::to_string(chunk) +
                       " bytes in a file of " + std::to_string(d.file_bytes)};
}

// True when the last failure was that memory could not be had.
bool lacks_memory()
{
    bool lacks = false;
    H5Ewalk2(
        H5E_DEFAULT,
        H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t* e, void* out) -> herr_t {
            if (e->min_num == H5E_NOSPACE || e->min_num == H5E_CANTALLOC)
                *static_cast<bool*>(out) = true;
            return 0;
        },
        &lacks);
    return lacks;
}

// Whether numbers are read is the reader's business: that it ends is what counts.
void read_all(const dataset& d, hid_t space, const std::vector<hsize_t>& shape)
{
    const hdf5_handle type(H5Dget_type(d.id), H5Tclose);
    const bool texts = H5Tis_variable_str(type) > 0;
    if (!texts &&
        (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tdetect_class(type, H5T_REFERENCE) > 0))
        return;
    hsize_t row = H5Tget_size(type);
    for (std::size_t k = 1; k < shape.size(); k++)
        row *= shape[k];
    const hsize_t rows = shape.empty() ? 1 : shape[0];
    if (row == 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return;
    const hsize_t step = std::max<hsize_t>(1, small / row);
    std::vector<char> data(std::min(rows, step) * row);
    for (hsize_t first = 0; first < rows; first += step) {
        auto size = shape;
        std::vector<hsize_t> start(shape.size(), 0);
        if (!shape.empty()) {
            start[0] = first;
            size[0] = std::min(step, rows - first);
            H5Sselect_hyperslab(
                space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
        }
        const hdf5_handle in_memory(
            shape.empty()
                ? H5Screate(H5S_SCALAR)
                : H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
            H5Sclose);
        const herr_t done =
            H5Dread(d.id, type, in_memory, space, H5P_DEFAULT, data.data());
        if (done < 0 && (texts || H5Tget_class(type) == H5T_STRING || lacks_memory()))
            throw bad_part{"'" + d.name + "' cannot be read in little memory" +
                           hdf5_cause()};
        if (done >= 0 && texts)
            H5Dvlen_reclaim(type, in_memory, H5P_DEFAULT, data.data());
    }
}

void check_dataset(const dataset& d)
{
    const hdf5_handle how(H5Dget_create_plist(d.id), H5Pclose);
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) > 0)
        throw bad_part{"'" + d.name + "' lies in other files"};
    const hdf5_handle space(H5Dget_space(d.id), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)), 0);
    if (rank > 0)
        H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    check_filters(d, how);
    check_size(d, how, shape);
    if (d.file_bytes <= read_through)
        read_all(d, space, shape);
}

// Reads an attribute, of which the same counts as of a dataset. Returns 1 where it claims too much.
herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void* to)
{
    const hdf5_handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (attribute < 0)
        return 0;
    const hdf5_handle type(H5Aget_type(attribute), H5Tclose);
    const hdf5_handle space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const hsize_t bytes =
        product(H5Tget_size(type), static_cast<hsize_t>(std::max<hssize_t>(count, 0)));
    std::string& found = *static_cast<std::string*>(to);
    if (const std::string wrong = wrong_type(type); !wrong.empty()) {
        found = "attribute '" + std::string(name) + "' " + wrong;
        return 1;
    }
    if (bytes > small) {
        found = "attribute '" + std::string(name) + "' claims to hold " +
                std::to_string(bytes) + " bytes";
        return 1;
    }
    std::vector<char> data(bytes);
    const herr_t done = bytes > 0 ? H5Aread(attribute, type, data.data()) : -1;
    if (done >= 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, data.data());
    else if (bytes > 0 && lacks_memory())
        found = "attribute '" + std::string(name) + "' cannot be read in little memory";
    return found.empty() ? 0 : 1;
}

void check_attributes(hid_t object)
{
    std::string found;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, read_attribute, &found);
    if (!found.empty())
        throw bad_part{found};
}

struct search {
    hsize_t file_bytes;
    std::string found; // what is wrong
};

herr_t visit(hid_t root, const char* name, const H5L_info_t* link, void* to)
{
    auto& s = *static_cast<search*>(to);
    try {
        if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT)
            throw bad_part{"'" + std::string(name) + "' is a link to another file"};
        if (link->type == H5L_TYPE_SOFT)
            return 0;
        const hdf5_handle set(H5Oopen(root, name, H5P_DEFAULT), H5Oclose);
        check_attributes(set);
        if (H5Iget_type(set) == H5I_DATASET)
            check_dataset({name, set, s.file_bytes});
        return 0;
    } catch (const bad_part& e) {
        s.found = e.what;
    } catch (const std::exception&) {
        s.found = "'" + std::string(name) + "' takes too much memory";
    }
    return 1;
}

std::string checked_heaps(const std::string& path, std::size_t bytes)
{
    // Read and not mapped: on a full disk in memory, mapped holes of a file end the process.
    std::vector<std::uint8_t> data(bytes);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::size_t there = 0;
    while (file >= 0 && there < bytes) {
        const ssize_t got = read(file, data.data() + there, bytes - there);
        if (got <= 0)
            break;
        there += static_cast<std::size_t>(got);
    }
    if (file >= 0)
        close(file);
    return wrong_heap(data.data(), there);
}

} // namespace

std::string wrong_hdf5(const std::string& path)
{
    const hdf5_session session;
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        return ""; // its reader says why
    if (status.st_size > 0 && static_cast<hsize_t>(status.st_size) <= read_through) {
        const std::string wrong =
            checked_heaps(path, static_cast<std::size_t>(status.st_size));
        if (!wrong.empty())
            return wrong;
    }
    const hdf5_handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file < 0)
        return ""; // as above
    search s{static_cast<hsize_t>(status.st_size), ""};
    try {
        check_attributes(file);
    } catch (const bad_part& e) {
        return e.what;
    }
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &s);
    return s.found;
}

} // namespace gr::fringe::checks
