/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/van_vleck.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_van_vleck(py::module& m)
{
    py::class_<van_vleck, gr::block, gr::basic_block, std::shared_ptr<van_vleck>>(
        m, "van_vleck", docs::van_vleck, explained())
        .def(py::init(&van_vleck::make),
             docs::van_vleck_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("complex_samples"),
             py::arg("bits"),
             py::arg("taps") = 4,
             py::arg("window") = "hann",
             py::arg("channels_per_item") = 0);
}
