/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/kurtosis_flagger.h>
#include <gnuradio/fringe/kurtosis_search.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

void bind_kurtosis(py::module& m)
{
    const kurtosis_search usual;
    py::class_<kurtosis_search>(m, "kurtosis_search", docs::kurtosis_search, explained())
        .def(py::init([](std::size_t window,
                         double false_alarm,
                         bool per_input,
                         bool combined,
                         bool power,
                         bool drop,
                         const std::vector<std::size_t>& mask,
                         const std::vector<std::size_t>& bad_inputs,
                         double period) {
                 return kurtosis_search{window,
                                        false_alarm,
                                        per_input,
                                        combined,
                                        power,
                                        drop,
                                        mask,
                                        bad_inputs,
                                        period};
             }),
             py::arg("window") = usual.window,
             py::arg("false_alarm") = usual.false_alarm,
             py::arg("per_input") = usual.per_input,
             py::arg("combined") = usual.combined,
             py::arg("power") = usual.power,
             py::arg("drop") = usual.drop,
             py::arg("mask") = usual.mask,
             py::arg("bad_inputs") = usual.bad_inputs,
             py::arg("period") = usual.period)
        .def("window_of", &kurtosis_search::window_of, py::arg("inputs"))
        .def_readwrite("window", &kurtosis_search::window)
        .def_readwrite("false_alarm", &kurtosis_search::false_alarm)
        .def_readwrite("per_input", &kurtosis_search::per_input)
        .def_readwrite("combined", &kurtosis_search::combined)
        .def_readwrite("power", &kurtosis_search::power)
        .def_readwrite("drop", &kurtosis_search::drop)
        .def_readwrite("mask", &kurtosis_search::mask)
        .def_readwrite("bad_inputs", &kurtosis_search::bad_inputs)
        .def_readwrite("period", &kurtosis_search::period);

    py::class_<kurtosis_flagger,
               gr::block,
               gr::basic_block,
               std::shared_ptr<kurtosis_flagger>>(
        m, "kurtosis_flagger", docs::kurtosis_flagger, explained())
        .def(py::init(&kurtosis_flagger::make),
             docs::kurtosis_flagger_make,
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("block_spectra") = 0,
             py::arg("component") = "f32",
             py::arg("window") = 0,
             py::arg("false_alarm") = usual.false_alarm,
             py::arg("per_input") = true,
             py::arg("combined") = true,
             py::arg("power") = true,
             py::arg("zero") = true,
             py::arg("mask") = std::vector<std::size_t>{},
             py::arg("bad_inputs") = std::vector<std::size_t>{},
             py::arg("bits") = 8,
             py::arg("period") = 1.0,
             py::arg("backend") = "auto")
        .def_static("make_parts",
                    &kurtosis_flagger::make_parts,
                    py::arg("inputs"),
                    py::arg("channels"),
                    py::arg("block_spectra"),
                    py::arg("component"),
                    py::arg("search"),
                    py::arg("bits"),
                    py::arg("backends"))
        .def("window", &kurtosis_flagger::window)
        .def("spectra", &kurtosis_flagger::spectra)
        .def("flagged", &kurtosis_flagger::flagged)
        .def("cells", &kurtosis_flagger::cells);
}
