/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "io/certificates/certificate.h"
#include "io/certificates/crc32c.h"
#include <pybind11/numpy.h>

namespace py = pybind11;

using namespace gr::fringe::io;

void bind_certificates(py::module& m)
{
    m.def("software", software, "The program that writes, its version and commit.");
    m.def(
        "crc32c",
        [](const py::buffer& bytes, std::uint32_t before) {
            const auto b = bytes.request();
            return crc32c(b.ptr, static_cast<std::size_t>(b.size * b.itemsize), before);
        },
        py::arg("bytes"),
        py::arg("before") = 0,
        "CRC-32C (Castagnoli, RFC 3720) of bytes that follow others.");
    m.def(
        "sum_of_rows",
        [](const py::array_t<std::uint64_t, py::array::c_style>& numbers,
           const py::array_t<std::uint8_t, py::array::c_style>& rows) {
            if (rows.ndim() != 2 || numbers.ndim() != 1 ||
                numbers.shape(0) != rows.shape(0))
                throw py::value_error(
                    "rows: must be bytes in two dimensions, [row][byte], "
                    "and have as many numbers");
            const auto count = static_cast<std::size_t>(rows.shape(0));
            const auto bytes = static_cast<std::size_t>(rows.shape(1));
            const py::gil_scoped_release free;
            return sum_of_rows(numbers.data(), count, bytes, rows.data());
        },
        py::arg("numbers"),
        py::arg("rows"),
        "Sum of (number + 1) CRC-32C(bytes) over rows with their numbers, mod 2^64.");
}
