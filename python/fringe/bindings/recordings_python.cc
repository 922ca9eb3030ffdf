/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "io/recording.h"
#include "io/recording_power.h"
#include "io/visibility_writer.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_recordings(py::module& m)
{
    py::class_<io::recording_info>(
        m, "recording_info_fields", "What a recording says of itself.")
        .def_readonly("streams", &io::recording_info::streams)
        .def_readonly("parts",
                      &io::recording_info::parts,
                      "sub-blocks of a raw block of this file: unpack's `files`")
        .def_readonly("encoding",
                      &io::recording_info::encoding,
                      "how its samples are packed: see fringe.encoding")
        .def_readonly("samples", &io::recording_info::samples)
        .def_readonly("sample_rate", &io::recording_info::sample_rate)
        .def_readonly("center_frequency", &io::recording_info::center_frequency)
        .def_readonly("has_start_time", &io::recording_info::has_start_time)
        .def_readonly("start_time", &io::recording_info::start_time)
        .def_readonly("telescope", &io::recording_info::telescope)
        .def_readonly("remarks", &io::recording_info::remarks);

    py::class_<io::recording_format>(m, "recording_format", "A named recording format.")
        .def_readonly("name", &io::recording_format::name)
        .def_readonly("summary", &io::recording_format::summary)
        .def_readonly("self_describing",
                      &io::recording_format::self_describing,
                      "the file tells its number of streams")
        .def_readonly("granule",
                      &io::recording_format::granule,
                      "reading starts at multiples of so many samples");

    py::class_<kernels::encoding>(m, "sample_encoding", "How samples are packed.")
        .def_readonly("name", &kernels::encoding::name)
        .def_readonly("complex_samples", &kernels::encoding::is_complex)
        .def_readonly(
            "bits",
            &kernels::encoding::bits,
            "bits of one sample of one stream, both components of a complex one")
        .def_property_readonly(
            "component",
            [](const kernels::encoding& e) {
                return std::string(kernels::component_name(e.natural));
            },
            "the narrowest component that holds every value: i8, i16 or f32");

    m.def(
        "encoding_by_name",
        [](const std::string& name) { return io::encoding_by_name(name); },
        "An encoding of samples: a recording format's own, or one that a file says.",
        py::arg("name"));

    m.def(
        "recording_formats",
        [] {
            std::vector<io::recording_format> all;
            for (const auto* f : io::formats()) {
                all.push_back(*f);
            }
            return all;
        },
        "All recording formats, in the order of the table.");
    m.def(
        "recording_format_by_name",
        [](const std::string& name) { return io::format_by_name(name); },
        "A recording format; ValueError lists the names there are.",
        py::arg("name"));
    m.def(
        "recording_info",
        [](const std::string& path, const std::string& format, std::size_t streams) {
            const io::recording_format& f = io::format_by_name(format);
            io::recording_info info = f.open(path, {streams})->info();
            info.encoding = io::encoding_of(f, info).name;
            return info;
        },
        "Opens a recording and returns what it says of itself.\n\n"
        "ValueError for a wrong use, RuntimeError for a damaged file.",
        py::arg("path"),
        py::arg("format"),
        py::arg("streams") = 0);
    m.def("recording_power",
          &io::recording_power,
          "Mean power of each stream of a recording over `samples` samples from `first` "
          "on.",
          py::arg("path"),
          py::arg("format"),
          py::arg("streams") = 0,
          py::arg("first") = 0,
          py::arg("samples") = 65536);
    m.def("visibility_formats",
          &io::visibility_formats,
          "Endings of visibility files, each with a line on what it is.");
    m.def("partial_path",
          &io::partial_path,
          "The name a visibility file has while it is not whole.",
          py::arg("path"));
}
