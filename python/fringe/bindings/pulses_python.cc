/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/pulse_blanker.h>
#include <gnuradio/fringe/pulse_search.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_pulses(py::module& m)
{
    const pulse_search usual;
    py::class_<pulse_search>(m, "pulse_search", docs::pulse_search, explained())
        .def(py::init([](double false_alarm,
                         std::size_t guard,
                         std::size_t window,
                         const std::vector<std::size_t>& bad_inputs) {
                 return pulse_search{false_alarm, guard, window, bad_inputs};
             }),
             py::arg("false_alarm") = usual.false_alarm,
             py::arg("guard") = usual.guard,
             py::arg("window") = usual.window,
             py::arg("bad_inputs") = usual.bad_inputs)
        .def_readwrite("false_alarm", &pulse_search::false_alarm)
        .def_readwrite("guard", &pulse_search::guard)
        .def_readwrite("window", &pulse_search::window)
        .def_readwrite("bad_inputs", &pulse_search::bad_inputs);

    py::class_<pulse_blanker, gr::block, gr::basic_block, std::shared_ptr<pulse_blanker>>(
        m, "pulse_blanker", docs::pulse_blanker, explained())
        .def(py::init(&pulse_blanker::make),
             docs::pulse_blanker_make,
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("component") = "i8",
             py::arg("complex_samples") = true,
             py::arg("false_alarm") = usual.false_alarm,
             py::arg("guard") = usual.guard,
             py::arg("window") = usual.window,
             py::arg("bad_inputs") = usual.bad_inputs,
             py::arg("backend") = "auto")
        .def("losses", &pulse_blanker::losses);
}
