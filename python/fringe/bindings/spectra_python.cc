/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "io/spectra/spectra_reader.h"
#include "io/spectra/spectra_writer.h"
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <unistd.h>

namespace py = pybind11;

using namespace gr::fringe::io;

namespace {

template <class T>
using array = py::array_t<T, py::array::c_style>;

void bind_facts(py::module& m)
{
    py::class_<spectra_facts>(m,
                              "spectra_facts",
                              "What is the same for all of a recording of spectra.",
                              explained())
        .def(py::init([](std::size_t inputs,
                         std::size_t channels,
                         std::size_t block,
                         std::size_t bits,
                         double rate,
                         double frequency,
                         std::size_t packet_channels) {
                 return spectra_facts{
                     inputs, channels, block, bits, rate, frequency, packet_channels, ""};
             }),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block"),
             py::arg("bits"),
             py::arg("rate"),
             py::arg("frequency"),
             py::arg("packet_channels"))
        .def_readonly("inputs", &spectra_facts::inputs)
        .def_readonly("channels", &spectra_facts::channels)
        .def_readonly("block", &spectra_facts::block, "Spectra of an item.")
        .def_readonly("bits", &spectra_facts::bits, "Of each component, 8 or 4.")
        .def_readonly("rate", &spectra_facts::rate, "Spectra a second.")
        .def_readonly(
            "frequency", &spectra_facts::frequency, "Hz, in the middle; 0 = not known.")
        .def_readonly("packet_channels",
                      &spectra_facts::packet_channels,
                      "Channels that get lost together.")
        .def_readonly("time", &spectra_facts::time, "A remark on the times, or ''.")
        .def_property_readonly("block_bytes", &spectra_facts::block_bytes);
    py::class_<spectra_run>(
        m, "spectra_run", "Where the time begins, and where it jumps.", explained())
        .def(
            py::init(
                [](std::uint64_t second, double fraction, double rate, double frequency) {
                    return spectra_run{second, fraction, rate, frequency};
                }),
            py::arg("second"),
            py::arg("fraction"),
            py::arg("rate"),
            py::arg("frequency"))
        .def_readonly("second", &spectra_run::second, "UNIX time.")
        .def_readonly("fraction", &spectra_run::fraction, "Of the second.")
        .def_readonly("rate", &spectra_run::rate, "Spectra a second.")
        .def_readonly("frequency", &spectra_run::frequency, "Hz; 0 = not known.");
}

void bind_writer(py::module& m)
{
    py::class_<spectra_writer>(m,
                               "spectra_writer",
                               "Writes a recording of spectra, block by block.",
                               explained())
        .def(py::init([](int file, const spectra_facts& facts) {
                 return std::make_unique<spectra_writer>(dup(file), facts);
             }),
             py::arg("file"),
             py::arg("facts"))
        .def("remark", &spectra_writer::remark, py::arg("time"))
        .def(
            "add",
            [](spectra_writer& w,
               const array<std::uint8_t>& values,
               std::size_t count,
               const std::vector<spectra_writer::lost_box>& lost,
               const std::optional<spectra_run>& run) {
                if (static_cast<std::size_t>(values.size()) != w.facts().block_bytes())
                    throw py::value_error("values: are not those of a block");
                const auto bytes = reinterpret_cast<const std::int8_t*>(values.data());
                const py::gil_scoped_release released;
                w.add(bytes, count, lost, run);
            },
            py::arg("values"),
            py::arg("count"),
            py::arg("lost"),
            py::arg("run") = py::none())
        .def("finish", &spectra_writer::finish, py::call_guard<py::gil_scoped_release>())
        .def("spectra", &spectra_writer::spectra, "So far.");
}

void bind_reader(py::module& m)
{
    py::class_<spectra_reader>(
        m, "spectra_reader", "Reads a recording of spectra, block by block.", explained())
        .def(py::init<const std::string&>(),
             py::arg("path"),
             py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("facts", &spectra_reader::facts)
        .def_property_readonly("blocks", &spectra_reader::blocks, "Spectra of each.")
        .def_property_readonly(
            "runs", &spectra_reader::runs, "{first block: spectra_run}")
        .def_property_readonly("unfinished",
                               &spectra_reader::unfinished,
                               "Whether the process that wrote it was killed.")
        .def(
            "read",
            [](const spectra_reader& r, std::uint64_t block, array<std::uint8_t> out) {
                if (static_cast<std::size_t>(out.size()) != r.facts().block_bytes() ||
                    block >= r.blocks().size())
                    throw py::value_error("out: has not the size of a block");
                const auto to = reinterpret_cast<std::int8_t*>(out.mutable_data());
                const py::gil_scoped_release released;
                r.read(block, to);
            },
            py::arg("block"),
            py::arg("out").noconvert(),
            "Its values [channel][input][spectrum][real, imaginary], int8.")
        .def(
            "lost",
            [](const spectra_reader& r, std::uint64_t block) {
                if (block >= r.blocks().size())
                    throw py::value_error("block: there is no such block");
                const auto& f = r.facts();
                py::array_t<std::uint8_t> out({f.packets(), f.inputs, f.block});
                const auto to = out.mutable_data();
                const py::gil_scoped_release released;
                r.read_lost(block, to);
                return out;
            },
            py::arg("block"),
            "1 for what was lost [packet][input][spectrum].");
    m.def("is_spectra_file",
          is_spectra_file,
          py::arg("path"),
          py::call_guard<py::gil_scoped_release>());
}

} // namespace

void bind_spectra(py::module& m)
{
    bind_facts(m);
    bind_writer(m);
    bind_reader(m);
}
