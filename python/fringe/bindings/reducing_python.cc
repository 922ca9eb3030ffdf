/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "blocks/base/block_checks.h"
#include "header_docs.h"
#include <gnuradio/fringe/dump_axes.h>
#include <gnuradio/fringe/dump_binner.h>
#include <gnuradio/fringe/visibility_reducer.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

dump_axes make_axes(const observation& obs,
                    std::size_t channels,
                    bool complex_samples,
                    std::size_t average,
                    std::size_t first_channel,
                    std::size_t kept_channels,
                    double lowest,
                    double highest,
                    const std::string& products,
                    const std::string& polarization,
                    bool keep_edge,
                    bool flag_dc)
{
    return dump_axes(obs,
                     channels,
                     complex_samples,
                     {average,
                      first_channel,
                      kept_channels,
                      lowest,
                      highest,
                      products,
                      polarization,
                      keep_edge,
                      flag_dc});
}

std::size_t item_values(const dump_axes& axes, std::size_t per_item)
{
    return axes.baselines.size() *
           product_channels(
               "dump_axes", per_item, axes.baselines.size(), axes.frequencies.size());
}

std::size_t received_item_values(const dump_axes& axes, std::size_t per_item)
{
    return axes.received_products() *
           product_channels(
               "dump_axes", per_item, axes.received_products(), axes.received_channels());
}

void bind_axes(py::module& m)
{
    py::class_<dump_axes>(m, "dump_axes", docs::dump_axes, explained())
        .def(py::init(&make_axes),
             py::arg("obs"),
             py::arg("channels"),
             py::arg("complex_samples") = true,
             py::arg("average") = 1,
             py::arg("first_channel") = 0,
             py::arg("kept_channels") = 0,
             py::arg("lowest") = 0.0,
             py::arg("highest") = 0.0,
             py::arg("products") = "all",
             py::arg("polarization") = "all",
             py::arg("keep_edge") = false,
             py::arg("flag_dc") = false)
        .def_readonly("frequencies", &dump_axes::frequencies)
        .def_readonly("widths", &dump_axes::widths)
        .def_property_readonly("baselines",
                               [](const dump_axes& a) {
                                   py::list all;
                                   for (const auto& b : a.baselines) {
                                       all.append(py::make_tuple(b[0], b[1]));
                                   }
                                   return all;
                               })
        .def_property_readonly("channels",
                               [](const dump_axes& a) { return a.frequencies.size(); })
        .def_property_readonly("complex_samples", &dump_axes::complex_samples)
        .def_property_readonly("products",
                               [](const dump_axes& a) { return a.selection.products; })
        .def_property_readonly("observation", &dump_axes::reduced_observation)
        .def("__repr__",
             [](const dump_axes& a) {
                 return "<" + std::to_string(a.frequencies.size()) + " channels, " +
                        std::to_string(a.baselines.size()) + " products>";
             })
        .def("item_values",
             &item_values,
             "Values in one item of the reduced dumps.",
             py::arg("channels_per_item") = 0)
        .def("received_item_values",
             &received_item_values,
             "Values in one item of the dumps as they come.",
             py::arg("channels_per_item") = 0);
}

void bind_reducer(py::module& m)
{
    py::class_<visibility_reducer,
               gr::block,
               gr::basic_block,
               std::shared_ptr<visibility_reducer>>(
        m, "visibility_reducer", docs::visibility_reducer, explained())
        .def(py::init(&visibility_reducer::make),
             docs::visibility_reducer_make,
             py::arg("axes"),
             py::arg("channels_per_item") = 0,
             py::arg("reduced_per_item") = 0)
        .def("dumps", &visibility_reducer::dumps);
}

void bind_pulse_phase(py::module& m)
{
    py::class_<pulse_phase>(m, "pulse_phase", docs::pulse_phase, explained())
        .def_static("from_period",
                    &pulse_phase::from_period,
                    "By a period in seconds, its derivative, and the phase at `zero`.",
                    py::arg("period"),
                    py::arg("zero") = epoch(),
                    py::arg("derivative") = 0.0,
                    py::arg("phase") = 0.0)
        .def_static("from_polyco",
                    &pulse_phase::from_polyco,
                    "By a file of TEMPO's; `pulsar` says which, where it has several.",
                    py::arg("path"),
                    py::arg("pulsar") = "")
        .def(
            "at",
            [](const pulse_phase& p, const epoch& t) {
                const auto there = p.at(t);
                return py::make_tuple(there.whole, there.fraction);
            },
            "Whole turns and their fraction at an instant.",
            py::arg("time"))
        .def_property_readonly("frequency", &pulse_phase::frequency)
        .def_property_readonly("dispersion", &pulse_phase::dispersion);
}

void bind_binner(py::module& m)
{
    py::class_<dump_binner, gr::block, gr::basic_block, std::shared_ptr<dump_binner>>(
        m, "dump_binner", docs::dump_binner, explained())
        .def(py::init(&dump_binner::make),
             docs::dump_binner_make,
             py::arg("axes"),
             py::arg("phase"),
             py::arg("bins") = 2,
             py::arg("gates") = std::vector<double>{},
             py::arg("seconds") = 1.0,
             py::arg("dispersion") = 0.0,
             py::arg("channels_per_item") = 0)
        .def("bins", &dump_binner::bins)
        .def("dumps", &dump_binner::dumps);
}

} // namespace

void bind_reducing(py::module& m)
{
    bind_axes(m);
    bind_reducer(m);
    bind_pulse_phase(m);
    bind_binner(m);
}
