/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/hdf5_session.h"

namespace gr::fringe::io {

namespace {

std::mutex& hdf5_mutex()
{
    static std::mutex m;
    return m;
}

} // namespace

hdf5_session::hdf5_session() : d_lock(hdf5_mutex())
{
    H5Eget_auto2(H5E_DEFAULT, &d_printer, &d_printer_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hdf5_session::~hdf5_session() { H5Eset_auto2(H5E_DEFAULT, d_printer, d_printer_data); }

herr_t hdf5_handle::close()
{
    const hid_t id = d_id;
    d_id = H5I_INVALID_HID;
    return id >= 0 ? d_close(id) : 0;
}

std::string hdf5_cause()
{
    std::string text;
    H5Ewalk2(
        H5E_DEFAULT,
        H5E_WALK_UPWARD,
        [](unsigned n, const H5E_error2_t* e, void* out) -> herr_t {
            if (n == 0 && e->desc)
                *static_cast<std::string*>(out) = std::string(" (") + e->desc + ")";
            return 0;
        },
        &text);
    return text;
}

} // namespace gr::fringe::io
