/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/hdf5_labels.h"
#include "io/durable/hdf5_session.h"
#include <hdf5_hl.h>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

void require(bool done, const std::string& what)
{
    if (!done)
        throw std::runtime_error("cannot label " + what + hdf5_cause());
}

void label(hdf5_output& file,
           const std::string& object,
           const std::string& name,
           hid_t type,
           const void* value)
{
    file.label([&](hid_t side) {
        const hdf5_handle of(H5Oopen(side, object.c_str(), H5P_DEFAULT), H5Oclose);
        const hdf5_handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const hdf5_handle made(
            H5Acreate2(of, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose);
        require(made >= 0 && H5Awrite(made, type, value) >= 0, object + ": " + name);
    });
}

} // namespace

void label_text(hdf5_output& file,
                const std::string& object,
                const std::string& name,
                const std::string& value)
{
    // Of any length: h5py gives such texts as str, others as bytes.
    const hdf5_handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const char* const text = value.c_str();
    label(file, object, name, type, &text);
}

void label_number(hdf5_output& file,
                  const std::string& object,
                  const std::string& name,
                  double value)
{
    label(file, object, name, H5T_NATIVE_DOUBLE, &value);
}

void label_integer(hdf5_output& file,
                   const std::string& object,
                   const std::string& name,
                   std::int64_t value)
{
    label(file, object, name, H5T_NATIVE_INT64, &value);
}

void label_axes(hdf5_output& file,
                const std::string& dataset,
                const std::vector<std::string>& axes)
{
    file.label([&](hid_t side) {
        const hdf5_handle set(H5Dopen2(side, dataset.c_str(), H5P_DEFAULT), H5Dclose);
        for (unsigned k = 0; k < axes.size(); k++) {
            const char* const name = axes[k].c_str();
            require(H5DSset_label(set, k, name) >= 0, dataset);
            if (H5Lexists(side, name, H5P_DEFAULT) <= 0)
                continue;
            const hdf5_handle scale(H5Dopen2(side, name, H5P_DEFAULT), H5Dclose);
            require((H5DSis_scale(scale) > 0 || H5DSset_scale(scale, name) >= 0) &&
                        H5DSattach_scale(set, scale, k) >= 0,
                    dataset);
        }
    });
}

} // namespace gr::fringe::io
