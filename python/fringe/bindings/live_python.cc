/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/stack.h>
#include <gnuradio/fringe/tcp_source.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_live(py::module& m)
{
    py::class_<stack, gr::block, gr::basic_block, std::shared_ptr<stack>>(
        m, "stack", docs::stack)
        .def(py::init(&stack::make),
             docs::stack_make,
             py::arg("inputs"),
             py::arg("block_samples"),
             py::arg("sample_rate") = 0.0,
             py::arg("center_frequency") = 0.0,
             py::arg("start_time") = "now",
             py::arg("complex_samples") = true)
        .def("samples_sent", &stack::samples_sent)
        .def("samples_missing", &stack::samples_missing)
        .def("samples_late", &stack::samples_late)
        .def("losses", &stack::losses)
        .def("error", &stack::error);

    py::class_<tcp_source, gr::block, gr::basic_block, std::shared_ptr<tcp_source>>(
        m, "tcp_source", docs::tcp_source)
        .def(py::init(&tcp_source::make),
             docs::tcp_source_make,
             py::arg("addresses"),
             py::arg("block_samples"),
             py::arg("sample_rate"),
             py::arg("center_frequency") = 0.0,
             py::arg("listen") = true,
             py::arg("start_time") = "now",
             py::arg("buffer_seconds") = 1.0)
        .def("inputs", &tcp_source::inputs)
        .def("ports", &tcp_source::ports)
        .def("connected", &tcp_source::connected)
        .def("samples_read", &tcp_source::samples_read)
        .def("samples_missing", &tcp_source::samples_missing)
        .def("samples_dropped", &tcp_source::samples_dropped)
        .def("losses", &tcp_source::losses)
        .def("finish", &tcp_source::finish);
}
