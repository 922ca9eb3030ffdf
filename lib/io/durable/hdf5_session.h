/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_SESSION_H
#define INCLUDED_FRINGE_IO_HDF5_SESSION_H

#include <hdf5.h>
#include <mutex>
#include <string>

namespace gr::fringe::io {

/*!
 * The HDF5 library, which is not made for threads and prints what goes wrong: while this
 * lives it is used by one thread of the process and is quiet. Every use of it holds one.
 */
class hdf5_session
{
public:
    hdf5_session();
    hdf5_session(const hdf5_session&) = delete;
    hdf5_session& operator=(const hdf5_session&) = delete;
    ~hdf5_session();

private:
    std::lock_guard<std::mutex> d_lock;
    H5E_auto2_t d_printer = nullptr;
    void* d_printer_data = nullptr;
};

//! A handle that is closed by the function it comes with.
class hdf5_handle
{
public:
    hdf5_handle(hid_t id, herr_t (*close)(hid_t)) : d_id(id), d_close(close) {}
    hdf5_handle(const hdf5_handle&) = delete;
    hdf5_handle& operator=(const hdf5_handle&) = delete;
    ~hdf5_handle() { close(); }

    //! Negative when it could not be closed.
    herr_t close();
    operator hid_t() const { return d_id; }

private:
    hid_t d_id;
    herr_t (*d_close)(hid_t);
};

//! What the library says was the first cause of the last failure: " (...)", or "".
std::string hdf5_cause();

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_SESSION_H */
