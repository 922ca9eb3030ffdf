/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/hdf5_shadow.h"
#include "io/durable/hdf5_session.h"
#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace gr::fringe::io {

namespace {

// What the library gets to know of a side when it opens it.
struct side_info {
    shadow_file* file;
    int side;
    std::string* error;
    const bool* labeling;
};

// The library's part comes first: it knows a file by the address of that.
struct open_side : H5FD_t {
    side_info info;
    haddr_t end; // of what this side uses
    // Heaps of the texts and references of labels, begin and end. The library calls them raw
    // data, but they differ from side to side: they are tables.
    std::vector<std::pair<haddr_t, haddr_t>> heaps;

    bool is_data(H5FD_mem_t type, haddr_t at) const
    {
        return type == H5FD_MEM_DRAW &&
               std::none_of(heaps.begin(), heaps.end(), [at](const auto& heap) {
                   return at >= heap.first && at < heap.second;
               });
    }
};

open_side& side_of(H5FD_t* file) { return *static_cast<open_side*>(file); }
const open_side& side_of(const H5FD_t* file)
{
    return *static_cast<const open_side*>(file);
}

// No exception may pass through the library.
template <class F>
herr_t guarded(open_side& s, F&& f)
{
    try {
        f();
        return 0;
    } catch (const std::exception& e) {
        if (s.info.error->empty())
            *s.info.error = e.what();
        return -1;
    }
}

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t)
{
    auto s = new (std::nothrow) open_side{};
    if (s)
        s->info = *static_cast<const side_info*>(H5Pget_driver_info(access));
    return s;
}

herr_t close_file(H5FD_t* file)
{
    delete &side_of(file);
    return 0;
}

// Neither caches nor joins of its own: what is written comes as it is.
herr_t query(const H5FD_t*, unsigned long* flags)
{
    *flags = 0;
    return 0;
}

// The library may make the last piece of a file longer without asking for space: so none
// reaches to what it takes for the end.
constexpr hsize_t gap = 8;

haddr_t alloc(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t bytes)
{
    bytes += gap;
    auto& s = side_of(file);
    haddr_t at = HADDR_UNDEF;
    guarded(s, [&] {
        const bool heap = type == H5FD_MEM_DRAW && *s.info.labeling;
        at = type == H5FD_MEM_SUPER ? 0
             : type == H5FD_MEM_DRAW && !heap
                 ? s.info.file->data_space(s.info.side, bytes)
                 : s.info.file->table_space(s.info.side, bytes);
        if (heap)
            s.heaps.emplace_back(at, at + bytes);
        s.end = std::max<haddr_t>(s.end, at + bytes);
    });
    return at;
}

// A place is never used twice: the side that is shown may still use it.
herr_t release(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, hsize_t) { return 0; }

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return side_of(file).end; }

herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end)
{
    side_of(file).end = end;
    return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes, void* out)
{
    auto& s = side_of(file);
    return guarded(
        s, [&] { s.info.file->read(s.info.side, at, static_cast<char*>(out), bytes); });
}

herr_t
write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, std::size_t bytes, const void* in)
{
    auto& s = side_of(file);
    const auto from = static_cast<const char*>(in);
    return guarded(s, [&] {
        if (s.is_data(type, at))
            s.info.file->write_data(at, from, bytes);
        else
            s.info.file->write_table(s.info.side, at, from, bytes);
    });
}

hid_t driver()
{
    static const hid_t id = [] {
        H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 2)
        c.version = H5FD_CLASS_VERSION;
        c.value = static_cast<H5FD_class_value_t>(300); // of those free for all
#endif
        c.name = "gr-fringe shadow";
        c.maxaddr = static_cast<haddr_t>(INT64_MAX);
        c.fc_degree = H5F_CLOSE_STRONG;
        c.fapl_size = sizeof(side_info);
        c.open = open_file;
        c.close = close_file;
        c.query = query;
        c.alloc = alloc;
        c.free = release;
        c.get_eoa = end_of_file;
        c.set_eoa = set_end;
        c.get_eof = end_of_file;
        c.read = read;
        c.write = write;
        const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
        std::copy(std::begin(lists), std::end(lists), c.fl_map);
        return H5FDregister(&c);
    }();
    return id;
}

} // namespace

hid_t make_hdf5_side(shadow_file& file,
                     int side,
                     std::string& error,
                     const bool& labeling)
{
    const hdf5_handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const hdf5_handle how(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    const side_info info{&file, side, &error, &labeling};
    // No list of free places either, for the same reason.
    H5Pset_file_space_strategy(how, H5F_FSPACE_STRATEGY_NONE, false, 1);
    H5Pset_driver(access, driver(), &info);
    const hid_t made = H5Fcreate("side", H5F_ACC_TRUNC, how, access);
    if (made < 0)
        throw std::runtime_error("the HDF5 file cannot be made" + hdf5_cause());
    return made;
}

} // namespace gr::fringe::io
