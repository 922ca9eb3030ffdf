/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bindings.h"
#include "blocks/dumps/dump_imager_block.h"
#include "dump_functions.h"
#include "stages/choose_target.h"
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::fringe;

namespace {

//! (uvw [antenna][3], turns [channel][antenna], up, left_out [channel]).
kernels::dump_geometry geometry_of(const py::object& made)
{
    const auto parts = made.cast<py::tuple>();
    return {numbers_of<double>(parts[0]),
            numbers_of<std::complex<float>>(parts[1]),
            parts[2].cast<std::array<double, 3>>(),
            numbers_of<std::uint8_t>(parts[3])};
}

dump_imager_block::sptr make(std::size_t inputs,
                             std::size_t channels,
                             std::size_t antennas,
                             std::size_t side,
                             double pixel,
                             double epsilon,
                             const array_of<std::uint32_t>& rows,
                             const std::vector<kernels::image_plane>& planes,
                             const std::vector<std::array<std::size_t, 2>>& groups,
                             const std::vector<double>& frequencies,
                             std::size_t channels_per_item,
                             const std::string& backend,
                             py::function geometry,
                             py::function description)
{
    kernels::dump_imager_params p;
    p.image.columns = p.image.rows = side;
    p.image.pixel_l = p.image.pixel_m = pixel;
    p.image.epsilon = epsilon;
    p.image.polarizations = planes.size();
    p.inputs = inputs;
    p.channels = channels;
    p.antennas = antennas;
    for (py::ssize_t k = 0; k < rows.shape(0); k++) {
        p.rows.push_back({rows.at(k, 0), rows.at(k, 1)});
    }
    p.planes = planes;
    p.groups = groups;
    p.frequencies = frequencies;
    const python_function place(std::move(geometry)), describe(std::move(description));
    return dump_imager_block::make(
        p,
        channels_per_item,
        choose_target(backend),
        [=](const described_dump& d) {
            const py::gil_scoped_acquire lock;
            return place.call(geometry_of, described(d));
        },
        [=](const described_dump& d, const kernels::dump_weights& w) {
            const py::gil_scoped_acquire lock;
            return describe.call(
                [](const py::object& text) { return text.cast<std::string>(); },
                described(d),
                w.total,
                w.visibilities);
        });
}

} // namespace

void bind_dump_imager(py::module& m)
{
    py::class_<kernels::image_plane>(m, "_image_plane", explained())
        .def(py::init([](const std::vector<std::vector<std::int32_t>>& products,
                         const std::vector<std::vector<std::uint8_t>>& conjugated,
                         const std::vector<std::complex<float>>& factors,
                         bool mean) {
            kernels::image_plane plane;
            for (std::size_t k = 0; k < products.size(); k++) {
                plane.parts.push_back({products[k], conjugated.at(k), factors.at(k)});
            }
            plane.mean = mean;
            return plane;
        }));
    py::class_<dump_imager_block,
               gr::block,
               gr::basic_block,
               std::shared_ptr<dump_imager_block>>(
        m,
        "_dump_imager",
        "Images of dumps where these are: see gpu_imager.",
        explained())
        .def(py::init(&make),
             py::arg("inputs"),
             py::arg("channels"),
             py::arg("antennas"),
             py::arg("side"),
             py::arg("pixel"),
             py::arg("epsilon"),
             py::arg("rows"),
             py::arg("planes"),
             py::arg("groups"),
             py::arg("frequencies"),
             py::arg("channels_per_item"),
             py::arg("backend"),
             py::arg("geometry"),
             py::arg("description"))
        .def("images", &dump_imager_block::images)
        .def("empty", &dump_imager_block::empty);
}
