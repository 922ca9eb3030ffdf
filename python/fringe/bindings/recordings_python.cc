/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "io/durable/partial_path.h"
#include "io/recordings/recognize.h"
#include "io/recordings/recording.h"
#include "io/recordings/recording_files.h"
#include "io/recordings/recording_power.h"
#include "io/recordings/recording_set.h"
#include "io/visibilities/visibility_formats.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

void bind_recording_times(py::module& m)
{
    py::class_<io::recording_times>(m,
                                    "recording_times_found",
                                    "Which samples of several files belong together.",
                                    explained())
        .def_property_readonly("sample_rate", &io::recording_times::sample_rate)
        .def_property_readonly("samples", &io::recording_times::samples)
        .def_property_readonly("has_start_time", &io::recording_times::has_start_time)
        .def_property_readonly("recording_start",
                               &io::recording_times::recording_start,
                               "instant of sample 0 of the file that begins first")
        .def_property_readonly("start_time",
                               &io::recording_times::start_time,
                               "instant of the first sample that is read")
        .def_property_readonly("notes",
                               &io::recording_times::notes,
                               "sentences on files that do not begin together")
        .def("first",
             &io::recording_times::first,
             "sample of a file that is read first; negative where it begins later",
             py::arg("file"));
    m.def(
        "recording_times",
        [](const std::vector<std::string>& paths,
           const std::string& format,
           std::size_t inputs,
           const std::vector<std::uint64_t>& start_samples,
           double sample_rate,
           const std::string& start_time,
           const std::string& prefer) {
            io::time_settings settings;
            settings.first = start_samples;
            settings.sample_rate = sample_rate;
            settings.has_start_time = !start_time.empty();
            if (settings.has_start_time) {
                settings.start_time = epoch::from_iso(start_time);
            }
            settings.prefer = io::preferred_by_name(prefer);
            return io::recording_set(paths, io::format_by_name(format), inputs, settings)
                .times();
        },
        "Opens recordings and returns which of their samples file_source reads "
        "together;\n"
        "the parameters are those of file_source.\n\n"
        "ValueError where headers and settings contradict each other, and for a wrong "
        "use;\n"
        "RuntimeError for a damaged file.",
        py::arg("paths"),
        py::arg("format"),
        py::arg("inputs") = 0,
        py::arg("start_samples") = std::vector<std::uint64_t>{0},
        py::arg("sample_rate") = 0.0,
        py::arg("start_time") = "",
        py::arg("prefer") = "");
}

} // namespace

void bind_recordings(py::module& m)
{
    py::class_<io::recording_info>(
        m, "recording_info_fields", "What a recording says of itself.", explained())
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
        .def_readonly(
            "coarse_channels",
            &io::recording_info::coarse_channels,
            "channels, each at a frequency of its own, that the recorder had split "
            "its band into: streams are [coarse channel][polarization]")
        .def_readonly("inverted",
                      &io::recording_info::inverted,
                      "the spectrum is the sky's mirror image (negative bandwidth)")
        .def_readonly("has_start_time", &io::recording_info::has_start_time)
        .def_readonly("start_time", &io::recording_info::start_time)
        .def_readonly("missing",
                      &io::recording_info::missing,
                      "how many of `samples` the file cannot hold, by its size")
        .def_readonly("telescope", &io::recording_info::telescope)
        .def_readonly("remarks", &io::recording_info::remarks);

    bind_recording_times(m);

    py::class_<io::recording_format>(
        m, "recording_format", "A named recording format.", explained())
        .def_readonly("name", &io::recording_format::name)
        .def("__repr__",
             [](const io::recording_format& format) {
                 return "<recording_format name='" + format.name + "'>";
             })
        .def_readonly("summary", &io::recording_format::summary)
        .def_readonly("self_describing",
                      &io::recording_format::self_describing,
                      "the file tells its number of streams")
        .def_readonly("granule",
                      &io::recording_format::granule,
                      "blocks are multiples of this number of samples");

    py::class_<kernels::encoding>(
        m, "sample_encoding", "How samples are packed.", explained())
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
            "the narrowest number that holds every value: i8, i16 or f32")
        .def_property_readonly(
            "component_on_gpu",
            [](const kernels::encoding& e) {
                return std::string(kernels::component_name(e.on_device()));
            },
            "the component of the voltages on a GPU: the same, or level for 2 bits");

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
            io::recording_info info = io::open_recording(f, path, {streams})->info();
            info.encoding = io::encoding_of(f, info).name;
            return info;
        },
        "Opens a recording and returns what it says of itself.\n\n"
        "ValueError for a wrong use, RuntimeError for a damaged file.",
        py::arg("path"),
        py::arg("format"),
        py::arg("streams") = 0);
    m.def("files_of_recording",
          &io::files_of_recording,
          "The files that a recording's name stands for: itself, or those that a pattern "
          "or "
          "names joined by '+' say, which follow each other.",
          py::arg("path"));
    m.def(
        "format_by_content",
        &io::format_by_content,
        "Name of the format that a file's content is in, whatever it is called; \"\" for "
        "samples without a header. ValueError for what cannot be read.",
        py::arg("path"));
    m.def("format_by_ending",
          &io::format_by_ending,
          "Name of the format whose files end so; \"\" = none.",
          py::arg("path"));
    m.def("recording_power",
          &io::recording_power,
          "Mean power of each stream of a recording over `samples` samples from `first` "
          "on.",
          py::arg("path"),
          py::arg("format"),
          py::arg("streams") = 0,
          py::arg("first") = 0,
          py::arg("samples") = 65536);
    m.def(
        "visibility_formats",
        [] {
            std::vector<std::pair<std::string, std::string>> all;
            for (const auto& format : io::visibility_formats())
                all.emplace_back(format.ending, format.description);
            return all;
        },
        "Endings of visibility files, each with a line on what it is.");
    m.def(
        "readable_visibility_formats",
        [] {
            std::vector<std::pair<std::string, std::string>> all;
            for (const auto& format : io::visibility_formats())
                if (format.readable)
                    all.emplace_back(format.ending, format.name);
            return all;
        },
        "Endings of the visibility files that read_visibilities() reads, each with what "
        "such a file is called.");
    m.def("partial_path",
          &io::partial_path,
          "The name a visibility file has while it is not whole.",
          py::arg("path"));
}
