/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/delay_model.h"
#include "bindings.h"
#include "header_docs.h"
#include <gnuradio/fringe/tracking.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace py::literals;
using namespace gr::fringe;
using array::delay_model;
using array::delay_polynomial;
using array::satellite_track;

namespace {

// Two arrays, seconds and seconds a second.
py::tuple both(const std::vector<array::delay>& delays)
{
    py::array_t<double> seconds(delays.size()), rates(delays.size());
    for (std::size_t a = 0; a < delays.size(); ++a) {
        seconds.mutable_at(a) = delays[a].seconds;
        rates.mutable_at(a) = delays[a].rate;
    }
    return py::make_tuple(seconds, rates);
}

void bind_satellite(py::module& m)
{
    py::class_<satellite_track>(m,
                                "satellite_track",
                                "The way of an Earth satellite: a table of instants and "
                                "positions in ITRF (m),\n"
                                "ten of which are interpolated (Lagrange).",
                                explained())
        .def(py::init<std::string, const std::vector<epoch>&, std::vector<array::vec3>>(),
             "name"_a,
             "times"_a,
             "itrf"_a)
        .def_static("from_file", &satellite_track::from_file, "path"_a)
        .def("at", &satellite_track::at, "time"_a, "dt"_a = 0.0)
        .def("uncertainty", &satellite_track::uncertainty, "time"_a)
        .def_property_readonly("name", &satellite_track::name);
}

void bind_polynomial(py::module& m)
{
    py::class_<delay_polynomial>(
        m,
        "delay_polynomial",
        "Delay of one antenna: c[0] + c[1] x + ..., x in seconds since the middle.",
        explained())
        .def_property_readonly("middle",
                               [](const delay_polynomial& p) { return p.middle; })
        .def_readonly("half", &delay_polynomial::half)
        .def_readonly("c", &delay_polynomial::c)
        .def_readonly("error", &delay_polynomial::error)
        .def("value", py::overload_cast<double>(&delay_polynomial::value, py::const_))
        .def("value",
             py::overload_cast<const epoch&>(&delay_polynomial::value, py::const_))
        .def("rate", py::overload_cast<double>(&delay_polynomial::rate, py::const_))
        .def("rate",
             py::overload_cast<const epoch&>(&delay_polynomial::rate, py::const_));
}

py::array_t<double>
delays_of(tracking& t, const epoch& first, double step, std::size_t count)
{
    const std::vector<double> d = t.delays(first, step, count);
    return py::array_t<double>({t.inputs(), count}, d.data());
}

void bind_tracking(py::module& m)
{
    py::class_<tracking, tracking::sptr>(m, "tracking", docs::tracking, explained())
        .def(py::init(&tracking::make),
             docs::tracking_make,
             "observation"_a,
             "fringe_stopping"_a = true,
             "sign"_a = 1,
             "same_instant"_a = false)
        .def_static("of_satellite",
                    &tracking::make_satellite,
                    "The same for an Earth satellite, of which a table of positions is "
                    "given.",
                    "observation"_a,
                    "path"_a,
                    "fringe_stopping"_a = true,
                    "sign"_a = 1,
                    "same_instant"_a = false)
        .def("delays",
             &delays_of,
             "first"_a,
             "step"_a,
             "count"_a,
             "Delays at `count` instants from `first` on, `step` seconds apart: "
             "[input][count].")
        .def("longest", &tracking::longest)
        .def("sample_rate", &tracking::sample_rate)
        .def("frequency", &tracking::frequency)
        .def("fringe_stopping", &tracking::fringe_stopping)
        .def("warnings", &tracking::warnings, "time"_a);
}

} // namespace

void bind_delays(py::module& m)
{
    bind_satellite(m);
    bind_polynomial(m);
    bind_tracking(m);
    py::class_<delay_model>(m,
                            "delay_model",
                            "Delays of the antennas against the first, for a direction "
                            "or a satellite.\n"
                            "\n"
                            "See docs/conventions.md for the equations and what is in "
                            "the model.",
                            explained())
        .def(py::init<const observation&, const phase_center&>(),
             "observation"_a,
             "direction"_a)
        .def(py::init<const observation&, const satellite_track&>(),
             "observation"_a,
             "satellite"_a)
        .def(
            "geometric",
            [](const delay_model& d, const epoch& t) { return both(d.geometric(t)); },
            "time"_a,
            "(seconds, rates) of each antenna, all at the same instant: -w/c.")
        .def(
            "arrival",
            [](const delay_model& d, const epoch& t) { return both(d.arrival(t)); },
            "time"_a,
            "(seconds, rates) of the wavefront that the first antenna hears at an "
            "instant.")
        .def(
            "polynomials",
            [](const delay_model& d,
               const epoch& start,
               double seconds,
               unsigned degree) { return d.polynomials(start, seconds, degree); },
            "start"_a,
            "seconds"_a,
            "degree"_a = 6,
            "Polynomials of the arrival, one for each antenna.")
        .def("warnings", &delay_model::warnings, "time"_a);
}
