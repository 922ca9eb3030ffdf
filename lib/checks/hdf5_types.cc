/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "checks/hdf5_types.h"
#include "io/durable/hdf5_session.h"
#include <algorithm>
#include <array>
#include <iterator>

namespace gr::fringe::checks {

namespace {

using io::hdf5_handle;

constexpr unsigned deepest = 32; // types in types

// Bytes, and first bit of sign, exponent (with its length) and mantissa (with its length).
using form = std::array<std::size_t, 6>;
constexpr form known_forms[] = {
    {2, 15, 10, 5, 0, 10},     // half
    {4, 31, 23, 8, 0, 23},     // single
    {8, 63, 52, 11, 0, 52},    // double
    {16, 79, 64, 15, 0, 64},   // 80 bits of x86
    {16, 127, 112, 15, 0, 112} // quadruple
};

std::string wrong_float(hid_t type)
{
    form f{H5Tget_size(type)};
    if (H5Tget_fields(type, &f[1], &f[2], &f[3], &f[4], &f[5]) >= 0 && f[3] > 0 &&
        H5Tget_ebias(type) == (std::size_t(1) << (f[3] - 1)) - 1 &&
        std::find(std::begin(known_forms), std::end(known_forms), f) !=
            std::end(known_forms))
        return "";
    return "has numbers of " + std::to_string(f[0]) +
           " bytes in a form that is not IEEE's";
}

std::string wrong_at(hid_t type, unsigned depth);

// libhdf5 itself refuses values that lie over each other, and from 1.14 on these, too.
std::string wrong_compound(hid_t type, unsigned depth)
{
    for (int k = 0; k < std::max(H5Tget_nmembers(type), 0); ++k) {
        const auto number = static_cast<unsigned>(k);
        const hdf5_handle member(H5Tget_member_type(type, number), H5Tclose);
        const std::string wrong = wrong_at(member, depth);
        if (!wrong.empty())
            return wrong;
        if (H5Tget_member_offset(type, number) + H5Tget_size(member) > H5Tget_size(type))
            return "has values that lie behind their end";
    }
    return "";
}

std::string wrong_at(hid_t type, unsigned depth)
{
    if (depth > deepest)
        return "has types in types in types";
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        return wrong_float(type);
    case H5T_COMPOUND:
        return wrong_compound(type, depth + 1);
    case H5T_ARRAY:
    case H5T_VLEN:
        return wrong_at(hdf5_handle(H5Tget_super(type), H5Tclose), depth + 1);
    default:
        return "";
    }
}

} // namespace

std::string wrong_type(hid_t type) { return wrong_at(type, 0); }

} // namespace gr::fringe::checks
