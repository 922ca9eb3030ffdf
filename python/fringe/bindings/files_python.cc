/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "files_python.h"
#include "array/files_read.h"
#include "bindings.h"
#include "io/durable/output_target.h"
#include "io/recordings/file_checks.h"
#include "io/spectra/filterbank_rows.h"
#include <cerrno>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <stdexcept>
#include <system_error>

namespace py = pybind11;

using gr::fringe::array::reading_scope;
using gr::fringe::io::output_target;

namespace {

// A scope in the form of a with statement.
struct reading {
    std::unique_ptr<reading_scope> scope;
};

py::object read_text(const std::string& path, std::uint64_t maximum)
{
    const std::string bytes = gr::fringe::array::read_text_file(path, maximum);
    PyObject* text = PyUnicode_DecodeUTF8(
        bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
    if (!text) {
        PyErr_Clear();
        throw std::invalid_argument(path + ": is not text (in UTF-8)");
    }
    return py::reinterpret_steal<py::object>(text);
}

// Ctrl-C does not wait for a file that keeps the program busy that checks it.
void look_for_signals()
{
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0)
        throw py::error_already_set();
}

// All files in one call without Python's lock. A thread that gives the lock up for each file may
// wait 5 ms for another one before it has it again: 5 s for a thousand directions.
void append_filterbank(const std::vector<int>& files,
                       const std::vector<std::string>& heads,
                       const py::array_t<float, py::array::c_style>& means)
{
    if (means.ndim() != 3 || files.empty() ||
        means.shape(1) % static_cast<py::ssize_t>(files.size())) {
        throw py::value_error("means: must be [time][row][channel], as many rows a file");
    }
    const auto size = [&](int k) { return static_cast<std::size_t>(means.shape(k)); };
    const float* data = means.data();
    const std::size_t times = size(0), rows = size(1), channels = size(2);
    int failed = 0;
    {
        const py::gil_scoped_release released;
        try {
            gr::fringe::io::append_filterbank_rows(
                files, heads, data, times, rows, channels);
        } catch (const std::system_error& e) {
            failed = e.code().value();
        }
    }
    if (failed) {
        errno = failed;
        PyErr_SetFromErrno(PyExc_OSError);
        throw py::error_already_set();
    }
}

} // namespace

void bind_files(py::module& m)
{
    m.def("_append_filterbank", &append_filterbank);
    py::class_<reading>(
        m,
        "reading",
        "with reading(): no output takes the place of a file that is read "
        "inside.",
        explained())
        .def(py::init<>())
        .def("__enter__", [](reading& r) { r.scope = std::make_unique<reading_scope>(); })
        .def("__exit__", [](reading& r, const py::args&) { r.scope.reset(); });
    m.def("note_read",
          gr::fringe::array::note_read,
          py::arg("path"),
          "Remembers a file that Python reads, see reading.");
    m.def("files_read",
          gr::fringe::array::files_read,
          "Names of the files that are remembered now, see reading.");
    m.def("read_text_file",
          read_text,
          py::arg("path"),
          py::arg("limit") = 64u << 20,
          "All of a plain text file of at most `limit` bytes. ValueError.");
    m.def("read_in_place_of",
          gr::fringe::array::read_in_place_of,
          py::arg("path"),
          "The file read that would be lost if something took the place of path, or ''.");
    m.def(
        "check_hdf5_file",
        [](const std::string& path) {
            py::gil_scoped_release others_run;
            gr::fringe::io::check_hdf5_file(path, look_for_signals);
        },
        py::arg("path"),
        "RuntimeError where an HDF5 file cannot be read without harm.");
    m.def(
        "wrong_tables",
        [](const std::vector<std::pair<std::string, bool>>& tables) {
            py::gil_scoped_release others_run;
            return gr::fringe::io::wrong_tables(tables, look_for_signals);
        },
        py::arg("tables"),
        "What is wrong with tables of casacore, [(folder, read all rows)], in words, "
        "or ''.");
    py::class_<output_target>(m,
                              "output_target",
                              "A file that is written whole or not at all, see new_file.",
                              explained())
        .def(py::init([](const std::string& path, bool overwrite, bool kept) {
                 const auto kind =
                     kept ? output_target::kind::file : output_target::kind::whole_file;
                 return std::make_unique<output_target>(path, kind, overwrite);
             }),
             py::arg("path"),
             py::arg("overwrite"),
             py::arg("kept") = false)
        .def("partial", &output_target::partial, "Its name until commit().")
        .def("leave",
             &output_target::leave,
             py::call_guard<py::gil_scoped_release>(),
             "Leaves what was written under the partial name.")
        .def("file", &output_target::file, "A descriptor that the caller closes.")
        .def("commit",
             &output_target::commit,
             py::call_guard<py::gil_scoped_release>(),
             "Gives it its name.")
        .def("discard", &output_target::discard);
}
