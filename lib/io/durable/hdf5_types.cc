/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/hdf5_types.h"
#include <cstdint>

namespace gr::fringe::io {

hid_t hdf5_pair_type(hid_t part)
{
    const std::size_t bytes = H5Tget_size(part);
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * bytes);
    H5Tinsert(pair, "r", 0, part);
    H5Tinsert(pair, "i", bytes, part);
    return pair;
}

hid_t hdf5_truth_type()
{
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    const std::int8_t no = 0, yes = 1;
    H5Tenum_insert(truth, "FALSE", &no);
    H5Tenum_insert(truth, "TRUE", &yes);
    return truth;
}

} // namespace gr::fringe::io
