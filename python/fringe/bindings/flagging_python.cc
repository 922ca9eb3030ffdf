/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/rfi_flagger.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_flagging(py::module& m)
{
    py::class_<rfi_flagger, gr::block, gr::basic_block, std::shared_ptr<rfi_flagger>>(
        m, "rfi_flagger", docs::rfi_flagger, explained())
        .def(py::init(&rfi_flagger::make),
             docs::rfi_flagger_make,
             py::arg("obs"),
             py::arg("channels"),
             py::arg("complex_samples") = true,
             py::arg("window") = 32,
             py::arg("false_alarm_rate") = 1e-3,
             py::arg("detectors") = std::vector<std::string>{},
             py::arg("mask_frequencies") = rfi_flagger::frequency_bands{},
             py::arg("mask_times") = rfi_flagger::time_spans{},
             py::arg("hop") = 0,
             py::arg("background_channels") = 64,
             py::arg("channels_per_item") = 0,
             py::arg("memory") = 4e9,
             py::arg("least_left") = 0.0)
        .def("totals", &rfi_flagger::totals)
        .def("dumps", &rfi_flagger::dumps);
}
